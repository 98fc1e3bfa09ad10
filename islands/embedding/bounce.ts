import { isPage } from '../../domain/embedding/page-session.ts'
import { guardEditor } from '../drafts/early-leave.ts'
import { askAdmin, Bounced } from './admin.ts'
import { parsed, showFirst } from './document.ts'
import { pageSession } from './page-session.ts'
import { watchPictures } from './pictures.ts'
import { sendWithSession } from './requests.ts'
import { watchVisits } from './visits.ts'

/*
 * The script of the small page that a browser gets which keeps no cookie of the app
 * (server/embedding/bounce.ts). The page gets a token from the admin that frames it, holds the
 * session in its memory, and loads the page that was asked for into itself. When it cannot, it
 * leads to the page that says why, so it never asks in a circle. `again`: a page to sign in for,
 * with cookies, where the admin has no address for that.
 */
const script = document.querySelector<HTMLScriptElement>('script[data-bounce]')!
const { nonce } = script,
  { admin, says, auth, missing, link, again } = script.dataset as Record<string, string>

/** Opens the page with a fresh token in its address, as the admin itself does. */
async function signInAgain(page: string): Promise<void> {
  const address = new URL(page, location.href)
  address.searchParams.set('id_token', await askAdmin(admin!, says))
  location.replace(address)
}

async function open(): Promise<void> {
  const shop = new URLSearchParams(location.search).get('shop'),
    session = pageSession(() => askAdmin(admin!, says), auth!)
  await session.renew()
  sendWithSession(session)
  const asked = new URL(location.href)
  asked.searchParams.delete('signed_in')
  const answer = await fetch(asked, { headers: { accept: 'text/html' } }).catch(() => {
    throw new Bounced('offline')
  })
  // The session is new. If it was refused, another one will be, too.
  if (answer.status === 401 && !answer.headers.has('content-type')) throw new Bounced('refused')
  if (!isPage(answer.headers.get('content-type'))) throw new Bounced('refused')
  const page = new URL(answer.url)
  history.replaceState({ htmx: true }, '', page.pathname + page.search + asked.hash)
  watchPictures()
  watchVisits(nonce, shop ? `${link}?shop=${encodeURIComponent(shop)}` : link!)
  await showFirst(parsed(await answer.text()), nonce)
  guardEditor()
}

const opening = again === undefined ? open() : signInAgain(again)
opening.catch((error: unknown) => {
  const address = new URL(missing!, location.href),
    shop = new URLSearchParams(location.search).get('shop')
  address.searchParams.set('why', error instanceof Bounced ? error.why : 'offline')
  if (shop) address.searchParams.set('shop', shop)
  location.replace(address)
})
