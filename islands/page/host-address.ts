import { addressInAdmin, pathInAdmin } from '../../domain/stores/host-address.ts'
import type { showToast } from './toasts.ts'

/** What the page was given to speak with the admin that frames it (server/platform-host.ts). */
const { admin, says } =
  document.querySelector<HTMLScriptElement>('script[data-admin]')?.dataset ?? {}

/** Tells the admin that frames the app at which path it is, so that its address follows: now, and whenever that changes. */
export function tellHost(): void {
  // To ask again for the answer to a form would be to ask for nothing: the address stays the form's page.
  if (!admin || !says || 'posted' in document.documentElement.dataset) return
  const { origin } = new URL(admin)
  const tell = () => parent.postMessage({ type: says, path: pathInAdmin(location) }, origin)
  for (const change of ['pushState', 'replaceState'] as const) {
    const original = history[change]
    history[change] = (...given) => {
      original.apply(history, given)
      tell()
    }
  }
  for (const arrival of ['popstate', 'pageshow']) addEventListener(arrival, tell)
  tell()
}

/** Copies the address that opens a page inside the admin: of the button's path, or of this very page. `say` is given, so that every page's script stays in one file. */
export async function copyLink(button: HTMLElement, say: typeof showToast): Promise<void> {
  const address = addressInAdmin(admin ?? '', button.dataset['copyLink'] || pathInAdmin(location))
  button.closest('details')?.removeAttribute('open')
  button.closest<HTMLElement>('[popover]')?.hidePopover()
  try {
    await navigator.clipboard.writeText(address)
    say('Link copied')
  } catch {
    say(`Your browser does not let us copy. The link is ${address}`, 'plain')
  }
}
