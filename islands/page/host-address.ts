import { addressInAdmin, pathInAdmin } from '../../domain/stores/host-address.ts'
import type { showToast } from './toasts.ts'

/**
 * What the page needs for messages to the admin that frames it (server/platform-host.ts): the
 * admin's address, and the type of the message.
 */
const { admin, says } =
  document.querySelector<HTMLScriptElement>('script[data-admin]')?.dataset ?? {}

/**
 * Tells the admin that frames the app the app's path, so that the admin's address follows: now, and
 * whenever the path changes.
 */
export function tellHost(): void {
  // The answer to a form cannot be loaded again by its address, so the admin keeps the address of
  // the form's page.
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

/**
 * Copies the address that opens a page inside the admin: the page of the button's path, or this
 * page. `say` is a parameter, so that the script that every page loads stays one file.
 */
export async function copyLink(button: HTMLElement, say: typeof showToast): Promise<void> {
  const address = addressInAdmin(admin ?? '', button.dataset['copyLink'] || pathInAdmin(location))
  button.closest('details')?.removeAttribute('open')
  button.closest<HTMLElement>('[popover]')?.hidePopover()
  try {
    await navigator.clipboard.writeText(address)
    say('Link copied')
  } catch {
    say(`Your browser does not allow copying. Copy this link yourself: ${address}`, 'plain')
  }
}
