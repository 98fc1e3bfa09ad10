type Drawn = { minute: number; html: string }
const drawn = new WeakMap<object, Map<string, Drawn>>()
const kept = 8

/**
 * The markup of a view of this data, drawn again only when the data is another object (an answer that changed is, see
 * api-session.ts), when anything else it shows is another (`key`), or with the next minute: ages are told in days.
 */
export function drawnOnce(data: object, now: Date, key: string, draw: () => string): string {
  const minute = Math.floor(now.getTime() / 60_000)
  let views = drawn.get(data)
  if (!views) drawn.set(data, views = new Map())
  const known = views.get(key)
  if (known?.minute === minute) return known.html
  if (views.size >= kept) views.delete(views.keys().next().value!)
  const html = draw()
  views.set(key, { minute, html })
  return html
}
