/** How long a download link works. */
export const linkSeconds = 60

/** Query parameter of a download link. It is the last one of its address. */
export const linkName = 'link'

const downloads = [
  /^\/tests\/[\w-]{1,64}\/export\/(results|orders|all)$/,
  /^\/tests\/draft\/edit\/[\w-]{1,64}\/(pictures\/[\w-]{1,64}\/\w{1,16}|choices\/picture)$/,
]

/** Whether a path of the app, with or without a query, is a file. Links are made for files only. */
export const isDownload = (path: string): boolean =>
  downloads.some(pattern => pattern.test(path.split('?', 1)[0]!))

/** The address of a file with a link. */
export const withLink = (path: string, link: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${linkName}=${link}`

/** The file and the link in such an address; null in an address without a link. */
export function linkIn(address: string): { path: string; link: string } | null {
  const [, path, link] = /^([^#]*)[?&]link=([^&#]*)$/.exec(address) ?? []
  return path && link && isDownload(path) ? { path, link } : null
}
