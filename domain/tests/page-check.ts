/** Maximum number of pages that are named. The others are only counted. */
const namedAtMost = 5

/** "Not found on /pages/a and /pages/b." */
export function missingWords(paths: readonly string[]): string {
  const named = paths.slice(0, namedAtMost),
    rest = paths.length - named.length
  return `Not found on ${listed(rest > 0 ? [...named, `${rest} more`] : named)}.`
}

/**
 * The result of looking for the changed elements on the tested pages, in one line. `lost`: elements
 * missing on some page. `pages`: number of pages. `unopened`: paths that did not open.
 */
export function checkedWords(lost: number, pages: number, unopened: readonly string[]): string {
  const closed =
    unopened.length > 0 ? ` ${listed(unopened.slice(0, namedAtMost))} did not open.` : ''
  if (unopened.length === pages)
    return `${pages === 1 ? 'The page did not open' : 'None of the pages opened'} here. Your shop may not allow other sites to show it in a frame.`
  const on = pages - unopened.length
  if (lost === 0)
    return `Every changed element was found on ${on === 1 ? 'the page' : `all ${on} pages`}.${closed}`
  return `${lost === 1 ? '1 changed element is' : `${lost} changed elements are`} missing on some pages.${closed}`
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)!}`
