import type { TemplateType } from '../../domain/themes/template.ts'
import type { Platform } from '../platform/adapter.ts'
import { assignedTo, ownPaths } from './live-templates.ts'

/**
 * A template with more pages than this counts as that of all pages of its kind. What a test is
 * about is also stored so: every list of tests, report and start of the collector reads it, and the
 * script itself goes by the template.
 */
const maxPaths = 1_000
/** Pages that stay beside such a pattern, because previews and pictures show one of them. */
const examples = 10

/**
 * Paths of everything that uses a template, or only of the chosen resources. A template may be that
 * of tens of thousands of products, and reading them all takes longer than a person waits. So no
 * more than `maxPaths` are read, and then a pattern such as /products/* stands for all.
 */
export async function templatePages(
  platform: Platform,
  shop: string,
  { type, suffix }: { type: TemplateType; suffix: string },
  resourceIds: readonly string[],
): Promise<readonly string[]> {
  const own = ownPaths[type]
  if (own) return own
  const paths: string[] = []
  for await (const page of assignedTo(platform, shop, type, suffix, resourceIds)) {
    for (const { path } of page) paths.push(path)
    if (paths.length > maxPaths) return [...paths.slice(0, examples), allLike(paths)]
  }
  return paths
}

/** A pattern for the folder in the shop's root that all of the paths are in. */
function allLike(paths: readonly string[]): string {
  const folders = new Set(paths.map(path => path.split('/', 2)[1]))
  return folders.size === 1 ? `/${[...folders][0]}/*` : '*'
}
