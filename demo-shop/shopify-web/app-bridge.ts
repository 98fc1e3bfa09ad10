import type { ShopifyGlobal } from '@shopify/app-bridge-types'

/** What this stand-in has of the real App Bridge. Its types say what each part does. */
export type AppBridge = Pick<
  ShopifyGlobal,
  | 'app'
  | 'config'
  | 'environment'
  | 'idToken'
  | 'loading'
  | 'origin'
  | 'ready'
  | 'saveBar'
  | 'scopes'
  | 'user'
>
/** What the page and the admin around it say. `id`: of a question, and of its answer. */
export type BridgeMessage = {
  appBridge: 1
  id?: number
  call?: string
  args?: unknown[]
  event?: string
  value?: unknown
  problem?: string
}
export type SaveBarState = { isShown: boolean; id: string; confirmsDiscard: boolean }

/**
 * The stand-in for the script that the real admin serves from its own address. It runs in the
 * app's page, from its text, so it uses nothing of this module. `admin`: the admin's origin.
 */
export function appBridge(admin: string): void {
  const meta = (name: string) =>
    document.querySelector<HTMLMetaElement>(`meta[name="shopify-${name}"]`)?.content ?? ''
  const apiKey = meta('api-key')
  if (!apiKey) {
    console.error('App Bridge: the page has no meta tag "shopify-api-key".')
    return
  }
  const disabled = meta('disabled-features').split(/[\s,]+/)
  // Only the first page of the app has these in its address.
  const query = new URLSearchParams(location.search)
  const kept = (name: string): string => {
    const key = `app-bridge-${name}`
    try {
      const given = query.get(name)
      if (given) sessionStorage.setItem(key, given)
      return given ?? sessionStorage.getItem(key) ?? ''
    } catch {
      return query.get(name) ?? ''
    }
  }
  const host = kept('host'),
    shop = kept('shop'),
    locale = kept('locale') || 'en-US'
  const isEmbedded = parent !== self
  const unframed = () => {
    if (!host || disabled.includes('auto-redirect')) return
    const at = atob(host.replaceAll('-', '+').replaceAll('_', '/'))
    location.replace(
      `${new URL(admin).protocol}//${at}/apps/${apiKey}${location.pathname}${location.search}`,
    )
  }
  if (!isEmbedded) unframed()

  let asked = 0
  const waiting = new Map<number, { done: (value: unknown) => void; failed: (e: Error) => void }>()
  const post = (message: Omit<BridgeMessage, 'appBridge'>) =>
    parent.postMessage({ appBridge: 1, ...message }, admin)
  const tell = (call: string, ...args: unknown[]) => post({ call, args })
  const ask = <T>(call: string, ...args: unknown[]): Promise<T> =>
    isEmbedded
      ? new Promise<T>((done, failed) => {
          waiting.set(++asked, { done: value => done(value as T), failed })
          post({ id: asked, call, args })
        })
      : Promise.reject(new Error('The page is not inside the admin.'))
  const events: Record<string, (value: unknown) => void> = {}
  addEventListener('message', ({ source, origin, data }: MessageEvent<BridgeMessage>) => {
    if (source !== parent || origin !== admin || data?.appBridge !== 1) return
    if (data.event !== undefined) return events[data.event]?.(data.value)
    const answer = waiting.get(data.id!)
    waiting.delete(data.id!)
    if (data.problem === undefined) answer?.done(data.value)
    else answer?.failed(new Error(data.problem))
  })

  // The navigation menu: links that the admin draws. A click there is a click on the link here, so
  // that the app's own code navigates.
  const menus = 'ui-nav-menu, s-app-nav'
  const links = () => [
    ...document.querySelectorAll<HTMLAnchorElement>(':is(ui-nav-menu, s-app-nav) :is(a, s-link)'),
  ]
  const hrefOf = (link: Element) => link.getAttribute('href') ?? ''
  let told = ''
  const tellMenu = () => {
    const items = links()
      .filter(link => link.getAttribute('rel') !== 'home')
      .map(link => ({ href: hrefOf(link), label: link.textContent?.trim() ?? '' }))
    if (told === JSON.stringify(items)) return
    told = JSON.stringify(items)
    tell('menu', items)
  }
  events['menu'] = href => {
    const link = links().find(each => hrefOf(each) === href)
    if (link) link.click()
    else location.assign(String(href))
  }

  // The title bar: its title, and the way back, which presses the page's own button.
  const backButton = () =>
    document.querySelector<HTMLElement>('ui-title-bar [variant="breadcrumb"]')
  events['back'] = () => backButton()?.click()
  let toldBar = ''
  const tellTitle = () => {
    const title = document.querySelector('ui-title-bar')?.getAttribute('title') ?? '',
      back = backButton()?.textContent?.trim() ?? ''
    if (toldBar === title + back) return
    toldBar = title + back
    tell('titleBar', { title, back })
  }

  // The save bar: the admin draws it, and its buttons press those in the page.
  type Bar = HTMLElement & {
    showing: boolean
    show: () => Promise<void>
    hide: () => Promise<void>
  }
  let shown: Bar | HTMLFormElement | null = null
  const say = (bar: Bar | HTMLFormElement, isShown: boolean): Promise<void> => {
    const isForm = bar instanceof HTMLFormElement
    shown = isShown ? bar : null
    bar.dispatchEvent(new Event(isShown ? 'show' : 'hide'))
    return ask<void>('saveBar', {
      isShown,
      id: bar.id,
      confirmsDiscard: bar.hasAttribute(
        isForm ? 'data-discard-confirmation' : 'discardconfirmation',
      ),
    } satisfies SaveBarState)
  }
  class SaveBar extends HTMLElement implements Omit<Bar, keyof HTMLElement> {
    get showing(): boolean {
      return shown === this
    }
    get discardConfirmation(): boolean {
      return this.hasAttribute('discardconfirmation')
    }
    set discardConfirmation(isAsked: boolean) {
      this.toggleAttribute('discardconfirmation', isAsked)
    }
    connectedCallback(): void {
      this.hidden = true
    }
    disconnectedCallback(): void {
      if (this.showing) void this.hide()
    }
    async show(): Promise<void> {
      if (!this.showing) await say(this, true)
    }
    async hide(): Promise<void> {
      if (this.showing) await say(this, false)
    }
    toggle(): Promise<void> {
      return this.showing ? this.hide() : this.show()
    }
  }
  // The class has what the types name, besides the events.
  const has: Pick<
    UISaveBarElement,
    'discardConfirmation' | 'hide' | 'show' | 'showing' | 'toggle'
  > = SaveBar.prototype
  void has
  customElements.define('ui-save-bar', SaveBar)
  const barOf = (id: string): SaveBar => {
    const bar = document.getElementById(id)
    if (bar instanceof SaveBar) return bar
    throw new Error(`There is no ui-save-bar with the id "${id}".`)
  }
  const button = (bar: Element, isSave: boolean) =>
    [...bar.querySelectorAll('button')].find(
      each => (each.getAttribute('variant') === 'primary') === isSave,
    )
  events['save'] = () => {
    if (shown instanceof HTMLFormElement) shown.requestSubmit()
    else if (shown) button(shown, true)?.click()
  }
  events['discard'] = () => {
    if (shown instanceof HTMLFormElement) shown.reset()
    else if (shown) button(shown, false)?.click()
  }
  events['left'] = () => {
    const bar = shown
    shown = null
    bar?.dispatchEvent(new Event('hide'))
  }
  const formOf = ({ target }: Event) =>
    target instanceof Element ? target.closest<HTMLFormElement>('form[data-save-bar]') : null
  for (const change of ['input', 'change'])
    document.addEventListener(change, event => {
      const form = formOf(event)
      if (form && !shown) void say(form, true)
    })
  for (const end of ['submit', 'reset'])
    document.addEventListener(end, event => {
      const form = formOf(event)
      if (form && shown === form) void say(form, false)
    })

  // The admin's address follows the app's.
  const path = () => location.pathname + location.search + location.hash
  const tellPath = () => tell('path', path())
  for (const name of ['pushState', 'replaceState'] as const) {
    const own = history[name].bind(history)
    history[name] = (...given) => {
      own(...given)
      tellPath()
    }
  }
  addEventListener('popstate', tellPath)

  // `open` also leads to pages of the admin, and to the whole window.
  const openWindow = window.open.bind(window)
  window.open = (url, target = '_blank', features) => {
    const address = String(url ?? '')
    const isAdmin = /^shopify:(\/\/)?admin(\/|$)/.test(address)
    if (!isEmbedded || (!isAdmin && target !== '_top' && target !== '_parent'))
      return openWindow(url, target, features)
    tell('open', isAdmin ? address : new URL(address, location.href).href, target)
    return null
  }
  document.addEventListener('click', event => {
    const link =
      event.target instanceof Element ? event.target.closest('a[href^="shopify:"]') : null
    if (!link || event.defaultPrevented) return
    event.preventDefault()
    window.open(hrefOf(link), link.getAttribute('target') ?? '_top')
  })

  // Requests to the app's own origin carry a token, unless they have one of their own.
  if (!disabled.includes('fetch')) {
    const send = window.fetch.bind(window)
    window.fetch = async (input, init) => {
      const request = new Request(input, init)
      const isOurs = new URL(request.url).origin === location.origin
      if (!isEmbedded || !isOurs || request.headers.has('authorization')) return send(input, init)
      const again = request.clone()
      const withToken = async (each: Request) => {
        each.headers.set('authorization', `Bearer ${await ask<string>('idToken')}`)
        return send(each)
      }
      const answer = await withToken(request)
      return answer.headers.has('x-shopify-retry-invalid-session-request')
        ? withToken(again)
        : answer
    }
  }

  const bridge: AppBridge = {
    config: { apiKey, host, shop, locale },
    origin: admin,
    ready: isEmbedded ? ask<void>('ready') : Promise.resolve(),
    environment: { embedded: isEmbedded, mobile: false, pos: false, intent: false },
    loading: isLoading => tell('loading', isLoading ?? true),
    idToken: () => ask('idToken'),
    user: () => ask('user'),
    saveBar: {
      show: async id => barOf(id).show(),
      hide: async id => barOf(id).hide(),
      toggle: async id => barOf(id).toggle(),
      leaveConfirmation: () => ask('leave'),
    },
    scopes: {
      query: () => ask('scopes.query'),
      request: scopes => ask('scopes.request', scopes),
      revoke: scopes => ask('scopes.revoke', scopes),
    },
    app: { extensions: () => ask('extensions') },
  }
  Object.assign(window, { shopify: bridge })

  if (!isEmbedded) return
  tellPath()
  // By attributes alone: the page's policy may forbid style elements.
  const watch = () => {
    for (const menu of document.querySelectorAll<HTMLElement>(menus)) menu.hidden = true
    tellMenu()
    tellTitle()
  }
  new MutationObserver(watch).observe(document, { subtree: true, childList: true })
  watch()
}

/** The script as the admin serves it. */
export const appBridgeScript = (admin: string): string =>
  `;(${appBridge})(${JSON.stringify(admin)})\n`
