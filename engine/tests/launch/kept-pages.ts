/** A test with more pages than this is stored with their folders. */
export const maxKeptPages = 1_000
/** Pages that are stored beside the folders, because previews and pictures show one of them. */
const examples = 10
/** More folders than this are the whole shop. */
const maxFolders = 100

/**
 * The pages that a launched test is stored with. A template may be that of tens of thousands of
 * products, and every list of tests, report and start of the collector reads what is stored. So
 * many pages become all pages of their folders; the script itself goes by the template.
 */
export function keptPages(paths: readonly string[]): readonly string[] {
  if (paths.length <= maxKeptPages) return paths
  const folders = new Set(paths.map(path => path.slice(0, path.lastIndexOf('/') + 1)))
  const patterns =
    folders.size > maxFolders || folders.has('') ? ['*'] : [...folders].map(folder => `${folder}*`)
  return [...paths.slice(0, examples), ...patterns]
}
