/**
 * Runs in the frame before the app's pixel, from its text, so it uses nothing of this module. It
 * gives the pixel what the platform's sandbox gives: events, and cookies and storage by their
 * names. The frame asks the page around it for all of this by messages.
 */
export function pixelFrame(settings: Record<string, unknown>, init: object): void {
  type Act = (event: unknown) => unknown
  const waiting = new Map<number, (value: unknown) => void>(),
    acts = new Map<string, Act[]>()
  let asked = 0
  const ask = (call: string, ...args: unknown[]): Promise<unknown> =>
    new Promise(resolve => {
      waiting.set(++asked, resolve)
      parent.postMessage({ pixel: 1, call, args, id: asked }, '*')
    })
  const subscribe = (name: string, act: Act) => {
    acts.set(name, [...(acts.get(name) ?? []), act])
    parent.postMessage({ pixel: 1, call: 'subscribe', args: [name] }, '*')
    return () =>
      acts.set(
        name,
        (acts.get(name) ?? []).filter(each => each !== act),
      ) !== undefined
  }
  addEventListener('message', ({ source, data }: MessageEvent) => {
    if (source !== parent || data?.pixel !== 1) return
    const { event, id, value } = data as { event?: { name: string }; id: number; value: unknown }
    if (event) {
      for (const name of [event.name, 'all_events', 'all_standard_events'])
        for (const act of acts.get(name) ?? []) act(event)
    } else {
      waiting.get(id)?.(value)
      waiting.delete(id)
    }
  })
  const storage = (area: string) => ({
    getItem: (name: string) => ask(`${area}.getItem`, name),
    setItem: (name: string, value: string) => ask(`${area}.setItem`, name, value),
    removeItem: (name: string) => ask(`${area}.removeItem`, name),
  })
  const api = {
    settings,
    init,
    analytics: { subscribe },
    browser: {
      cookie: {
        get: (name?: string) => ask('cookie.get', name),
        set: (text: string) => ask('cookie.set', text),
      },
      localStorage: storage('localStorage'),
      sessionStorage: storage('sessionStorage'),
      sendBeacon: async (url: string, body = '') => navigator.sendBeacon(url, body),
    },
    customerPrivacy: { subscribe },
    _pixelInfo: { runtimeContext: 'STRICT' },
  }
  Object.assign(globalThis, {
    shopify: {
      extend: (point: string, start: (given: typeof api) => void) => {
        if (point === 'WebPixel::Render') start(api)
      },
    },
  })
}

/**
 * Runs on the page after the checkout, from its text: loads the frame if the buyer's consent allows
 * it, and answers it. `needs`: kinds of consent that the pixel declares. `isAsked`: whether the
 * shop asks buyers at all; where it does not, everything is allowed until they refuse.
 */
export function pixelHost(needs: readonly string[], isAsked: boolean): void {
  const event = JSON.parse(
    document.getElementById('web-pixel-event')!.textContent ?? '{}',
  ) as Record<string, unknown>
  const cookie = (name: string) =>
    document.cookie
      .split('; ')
      .find(each => each.startsWith(`${name}=`))
      ?.slice(name.length + 1)
  const decoded = (text: string | undefined) => {
    try {
      return text === undefined ? undefined : decodeURIComponent(text)
    } catch {
      return text
    }
  }
  type Consent = { con?: { CMP?: Record<string, string> } }
  const stored = decoded(cookie('_tracking_consent'))
  const said = (stored ? (JSON.parse(stored) as Consent) : {}).con?.CMP ?? {}
  const allows = (need: string): boolean => {
    const answer = said[need.charAt(0)] ?? ''
    return answer === '1' || (answer === '' && !isAsked)
  }
  if (!needs.every(allows)) return
  const clientId = cookie('_shopify_y') ?? crypto.randomUUID()
  document.cookie = `_shopify_y=${clientId};path=/;max-age=31536000;samesite=lax`
  const frame = document.createElement('iframe')
  frame.sandbox.add('allow-scripts')
  frame.hidden = true
  frame.title = 'Web pixel'
  frame.src = '/web-pixels/frame'
  const area = (name: string) => (name === 'localStorage' ? localStorage : sessionStorage)
  const answers: Record<string, (...args: string[]) => unknown> = {
    'cookie.get': name => (name === undefined ? document.cookie : decoded(cookie(name))),
    'cookie.set': text => (document.cookie = text!),
  }
  for (const name of ['localStorage', 'sessionStorage']) {
    answers[`${name}.getItem`] = key => area(name).getItem(key!)
    answers[`${name}.setItem`] = (key, value) => area(name).setItem(key!, value!)
    answers[`${name}.removeItem`] = key => area(name).removeItem(key!)
  }
  addEventListener('message', ({ source, data }: MessageEvent) => {
    if (source !== frame.contentWindow || data?.pixel !== 1) return
    const { call, args, id } = data as { call: string; args: string[]; id: number }
    const answer = (more: object) =>
      source!.postMessage({ pixel: 1, ...more }, { targetOrigin: '*' })
    if (call === 'subscribe') {
      if (['all_events', 'all_standard_events', event['name']].includes(args[0]))
        answer({
          event: {
            ...event,
            clientId,
            context: {
              document: { location: { href: location.href }, title: document.title },
              navigator: { userAgent: navigator.userAgent, language: navigator.language },
            },
          },
        })
      return
    }
    let value: unknown
    try {
      value = answers[call]?.(...args)
    } catch {
      // A browser may forbid storage.
    }
    answer({ id, value })
  })
  document.body.append(frame)
}
