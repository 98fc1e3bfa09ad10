import type { BridgeMessage, SaveBarState } from './app-bridge.ts'

/**
 * The admin's side of App Bridge: runs in the page around the app's frame, from its text, so it
 * uses nothing of this module.
 */
export function frameScript(): void {
  const frame = document.querySelector<HTMLIFrameElement>('iframe[data-app]')!,
    { app, base, store } = frame.dataset as Record<'app' | 'base' | 'store', string>
  const one = <T extends HTMLElement>(selector: string): T => document.querySelector<T>(selector)!
  const menu = one('[data-menu]'),
    bar = one('[data-save-bar]'),
    loading = one<HTMLProgressElement>('[data-loading]'),
    dialog = one<HTMLDialogElement>('dialog[data-ask]')
  let saveBar: SaveBarState = { isShown: false, id: '', confirmsDiscard: false }

  const post = (message: Omit<BridgeMessage, 'appBridge'>) =>
    frame.contentWindow!.postMessage({ appBridge: 1, ...message }, app)
  const server = async (call: string, args: unknown[] = []): Promise<unknown> => {
    const answer = await fetch(`${base}/bridge`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ call, args }),
    })
    const { value, message } = (await answer.json()) as { value?: unknown; message?: string }
    if (!answer.ok) throw new Error(message)
    return value
  }
  /** Asks the merchant. Resolves to whether they agreed. */
  const confirmed = (title: string, text: string, yes: string, no: string): Promise<boolean> => {
    one('[data-ask-title]').textContent = title
    one('[data-ask-text]').textContent = text
    one('[data-ask-yes]').textContent = yes
    one('[data-ask-no]').textContent = no
    dialog.returnValue = ''
    dialog.showModal()
    return new Promise(resolve =>
      dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), {
        once: true,
      }),
    )
  }
  const setBar = (state: SaveBarState): void => {
    saveBar = state
    bar.hidden = !state.isShown
  }
  /** Resolves to true when nothing is unsaved, or the merchant leaves it behind. */
  const mayLeave = async (): Promise<boolean> => {
    if (!saveBar.isShown) return true
    const isLeft = await confirmed(
      'Leave page with unsaved changes?',
      'Leaving this page deletes all unsaved changes.',
      'Leave page',
      'Stay',
    )
    if (isLeft) {
      setBar({ ...saveBar, isShown: false })
      post({ event: 'left' })
    }
    return isLeft
  }
  const open = (url: string, target: string): void => {
    const address = url.replace(/^shopify:(\/\/)?admin/, location.origin + store)
    if (!/^https?:/.test(address)) return
    if (target === '_blank' || target === '_new') window.open(address, '_blank', 'noopener')
    else location.assign(address)
  }
  const mark = (path: string): void => {
    for (const link of menu.querySelectorAll('a'))
      if (path.split(/[?#]/)[0] === new URL(link.dataset['path']!, app).pathname)
        link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
  }
  let at = ''
  const follow = (path: string): void => {
    at = path
    mark(path)
    // While a save bar is shown, the admin keeps its address.
    if (saveBar.isShown || !/^\/(?![/\\])/.test(path)) return
    const address = new URL(base + path, location.origin)
    if (address.origin !== location.origin || !address.pathname.startsWith(`${base}/`)) return
    for (const own of [
      'embedded',
      'hmac',
      'host',
      'id_token',
      'locale',
      'session',
      'shop',
      'timestamp',
    ])
      address.searchParams.delete(own)
    if (address.pathname === `${base}/`) address.pathname = base
    // The frame's own navigation is in the history already, so it is enough to replace our entry.
    if (address.href !== location.href) history.replaceState(null, '', address)
  }
  const drawMenu = (items: { href: string; label: string }[]): void => {
    menu.replaceChildren(
      ...items.map(({ href, label }) => {
        const link = document.createElement('a')
        link.dataset['path'] = href
        link.href = base + href
        link.textContent = label
        link.addEventListener('click', async event => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          if (await mayLeave()) post({ event: 'menu', value: href })
        })
        return link
      }),
    )
    mark(at)
  }

  const calls: Record<string, (...args: never[]) => unknown> = {
    // A new document of the app has nothing unsaved.
    ready: () => setBar({ ...saveBar, isShown: false }),
    path: follow,
    menu: drawMenu,
    titleBar: ({ title, back }: { title: string; back: string }) => {
      one('[data-title-bar]').hidden = !title
      one('[data-title]').textContent = title
      one('[data-back]').hidden = !back
      one('[data-back]').textContent = back
    },
    open,
    loading: (isLoading: boolean) => void (loading.hidden = !isLoading),
    saveBar: setBar,
    leave: async () => {
      // The promise of a merchant who stays never ends.
      if (!(await mayLeave())) await new Promise(() => {})
    },
    'scopes.request': async (scopes: string[]) => {
      const isGranted = await confirmed(
        'Twinshelf needs more access',
        `It asks for: ${scopes.join(', ')}.`,
        'Allow',
        'Cancel',
      )
      return server(isGranted ? 'scopes.grant' : 'scopes.decline', [scopes])
    },
  }
  addEventListener('message', async ({ source, origin, data }: MessageEvent<BridgeMessage>) => {
    if (source !== frame.contentWindow || origin !== app || data?.appBridge !== 1) return
    const { id, call = '', args = [] } = data
    try {
      const value = await (Object.hasOwn(calls, call)
        ? calls[call]!(...(args as never[]))
        : server(call, args))
      if (id !== undefined) post({ id, value })
    } catch (error) {
      if (id !== undefined) post({ id, problem: (error as Error).message || 'It failed.' })
    }
  })
  one('[data-save]').addEventListener('click', () => post({ event: 'save' }))
  one('[data-back]').addEventListener('click', async () => {
    if (await mayLeave()) post({ event: 'back' })
  })
  one('[data-discard]').addEventListener('click', async () => {
    const isSure =
      !saveBar.confirmsDiscard ||
      (await confirmed(
        'Discard all unsaved changes?',
        'Discarding deletes all changes since your last save.',
        'Discard changes',
        'Continue editing',
      ))
    if (isSure) post({ event: 'discard' })
  })
  for (const link of document.querySelectorAll<HTMLAnchorElement>('nav[aria-label=Admin] > a'))
    link.addEventListener('click', async event => {
      if (!saveBar.isShown || link.target === '_blank') return
      event.preventDefault()
      if (await mayLeave()) location.assign(link.href)
    })
}
