import { isOurs } from './requests.ts'

/** Pictures that were fetched, by their addresses. */
const pictures = new Map<string, Promise<string>>()
const maxPictures = 200

const isOfApp = (src: string | null): src is string =>
  src !== null && src !== '' && !src.startsWith('data:') && isOurs(new URL(src, location.href))

/**
 * Takes the addresses of the app's pictures out of new content before it is in the page, because
 * the browser would request them without the session.
 */
export function holdPictures(content: ParentNode): void {
  for (const picture of content.querySelectorAll('img')) hold(picture)
}
function hold(picture: HTMLImageElement): void {
  const src = picture.getAttribute('src')
  if (!isOfApp(src)) return
  picture.dataset['picture'] = src
  picture.removeAttribute('src')
}

/** Shows pictures of the app wherever they appear in the page, and those that scripts make. */
export function watchPictures(): void {
  loadByScript()
  const look = (root: Element) => {
    if (root instanceof HTMLImageElement) show(root)
    for (const picture of root.querySelectorAll('img')) show(picture)
  }
  new MutationObserver(changes => {
    for (const { type, target, addedNodes } of changes)
      if (type === 'attributes') look(target as Element)
      else for (const node of addedNodes) if (node instanceof Element) look(node)
  }).observe(document.documentElement, {
    subtree: true,
    childList: true,
    attributeFilter: ['src', 'data-picture'],
  })
  look(document.documentElement)
}

/** A script may set the address of a picture that is not in the page yet, and wait for it. */
function loadByScript(): void {
  const proto = HTMLImageElement.prototype,
    own = Object.getOwnPropertyDescriptor(proto, 'src')!,
    loading = new WeakMap<HTMLImageElement, Promise<unknown>>()
  const decode = Reflect.get(proto, 'decode') as (this: HTMLImageElement) => Promise<void>
  Object.defineProperty(proto, 'src', {
    ...own,
    set(this: HTMLImageElement, src: string) {
      const put = (address: string): void => {
        own.set!.call(this, address)
      }
      if (!isOfApp(src)) {
        put(src)
        return
      }
      const shown = pictureAt(src).then(put)
      shown.catch(() => this.dispatchEvent(new Event('error')))
      loading.set(this, shown)
    },
  })
  proto.decode = async function (this: HTMLImageElement) {
    await loading.get(this)
    return decode.call(this)
  }
}

function show(picture: HTMLImageElement): void {
  hold(picture)
  const address = picture.dataset['picture']
  if (!address || picture.hasAttribute('src')) return
  pictureAt(address).then(
    data => {
      if (picture.dataset['picture'] === address && !picture.hasAttribute('src')) picture.src = data
    },
    () => picture.dispatchEvent(new Event('error')),
  )
}

/** A picture as a data address, which the page's policy allows. */
function pictureAt(address: string): Promise<string> {
  const known = pictures.get(address)
  if (known) return known
  if (pictures.size >= maxPictures) pictures.clear()
  const loading = load(address)
  pictures.set(address, loading)
  loading.catch(() => pictures.delete(address))
  return loading
}

async function load(address: string): Promise<string> {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`${answer.status}`)
  const blob = await answer.blob()
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(new Error('unreadable'))
    reader.readAsDataURL(blob)
  })
}
