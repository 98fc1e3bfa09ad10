/**
 * Scripts of the sandbox for pixels. They run in browsers, so they are kept as text.
 */

/**
 * Runs in the frame before the pixel and gives it `register`. With it, the pixel hears of events.
 * It can also read one cookie or one entry of local storage by its name. The frame asks the page
 * around it for all of this by messages.
 */
export const frameApi = `settings => {
  const waiting = new Map(), acts = new Map()
  let asked = 0
  const ask = (call, name) => new Promise(resolve => {
    waiting.set(++asked, resolve)
    parent.postMessage({ call, name: String(name), id: asked }, '*')
  })
  addEventListener('message', ({ source, data }) => {
    if (source !== parent) return
    if (data.event) for (const act of acts.get(data.event.name) ?? []) act(data.event)
    else { waiting.get(data.id)?.(data.value); waiting.delete(data.id) }
  })
  globalThis.register = start => start({
    settings,
    analytics: { subscribe: (name, act) => {
      acts.set(name, [...(acts.get(name) ?? []), act])
      parent.postMessage({ call: 'subscribe', name }, '*')
    } },
    browser: {
      cookie: { get: name => ask('cookie', name) },
      localStorage: { getItem: name => ask('localStorage', name) },
    },
  })
}`

/**
 * Runs on the page after the checkout: loads the frame if the buyer agreed, and answers it. Consent
 * is what the shop's privacy API has stored; Global Privacy Control refuses.
 */
export const hostScript = `(() => {
  const event = JSON.parse(document.getElementById('checkout-completed').textContent)
  const cookie = name => document.cookie.split('; ').find(one => one.startsWith(name + '='))?.slice(name.length + 1)
  const isAllowed = cookie('shop_consent') === 'yes' && !navigator.globalPrivacyControl
  if (!isAllowed) return
  const clientId = cookie('shop_client') ?? crypto.randomUUID()
  document.cookie = 'shop_client=' + clientId + ';path=/;max-age=31536000;samesite=lax'
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts'
  frame.hidden = true
  frame.title = 'Pixel'
  frame.src = '/pixels/frame'
  const stored = name => { try { return localStorage.getItem(name) } catch { return null } }
  const decoded = value => { try { return decodeURIComponent(value) } catch { return value } }
  addEventListener('message', ({ source, data }) => {
    if (source !== frame.contentWindow) return
    const answer = value => source.postMessage({ id: data.id, value }, '*')
    if (data.call === 'cookie') answer(cookie(data.name) && decoded(cookie(data.name)))
    else if (data.call === 'localStorage') answer(stored(data.name))
    else if (data.call === 'subscribe' && data.name === event.name)
      source.postMessage({ event: { ...event, clientId, consent: { analytics: isAllowed } } }, '*')
  })
  document.body.append(frame)
})()
`
