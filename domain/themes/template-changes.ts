import {
  isSameJson,
  type JsonNode,
  type JsonScalar,
  jsonTree,
  memberOf,
  objectAt,
  reordered,
  rewritten,
  type Rewrite,
  scalarAt,
  stringsAt,
} from '../json-text.ts'
import type { FieldProblem } from '../problem.ts'
import { attributeValueProblem } from '../drafts/safe-html.ts'
import {
  blockOrder,
  type ContentBlock,
  type ContentSection,
  type ContentSetting,
  orderOf,
  type Schemas,
  sectionsOf,
  type SectionUpdate,
  templateTree,
  type TemplateContentUpdate,
} from './template-content.ts'

/** The files of both templates. `control` is null when it is gone or cannot be read. */
export type Templates = { variant: string; control: string | null; schemas: Schemas }
type Update = Omit<TemplateContentUpdate, 'version'>
type Settings = NonNullable<SectionUpdate['settings']>

/**
 * Applies changes to the variant's file. Returns the new file, or the problems at their fields.
 * Every other character of the file stays. When the result has the same values as the control, it
 * is exactly the control's file.
 */
export function changedTemplate(
  { variant, control, schemas }: Templates,
  { order, sections = [] }: Update,
): { body: string } | { problems: FieldProblem[] } {
  const tree = templateTree(variant),
    other = control === null ? null : templateTree(control)
  if (!tree)
    return { problems: [{ field: 'sections', message: 'This template cannot be edited here.' }] }
  const problems: FieldProblem[] = []
  const at = (field: string, message: string): void => void problems.push({ field, message })
  const content = sectionsOf(tree, other, schemas)
  const nodes = objectAt(tree, 'sections')!,
    controls = objectAt(other ?? undefined, 'sections')
  const changes = new Map<string, Rewrite>(),
    template = new Map<string, Rewrite>([['sections', changes]])

  if (order) {
    if (isPermutation(order, orderOf(tree)))
      template.set('order', orderText(variant, tree, 'order', order))
    else at('order', 'All sections of the template, each once.')
  }
  const sectionById = new Map(content.sections.map(each => [each.id, each]))
  for (const [i, update] of sections.entries()) {
    const field = `sections.${i}`,
      section = sectionById.get(update.id)
    if (!section) {
      at(`${field}.id`, 'The template has no such section.')
      continue
    }
    if (changes.has(update.id)) {
      at(`${field}.id`, 'This section is named twice.')
      continue
    }
    changes.set(update.id, sectionChanges(update, section, field))
  }
  if (problems.length > 0) return { problems }
  const body =
    variant.slice(0, tree.start) + rewritten(variant, tree, template) + variant.slice(tree.end)
  const now = other && jsonTree(body)
  return { body: now && isSameJson(now, other) ? control! : body }

  function sectionChanges(
    { id, blocks = [], blockOrder: wanted, ...update }: SectionUpdate,
    section: ContentSection,
    field: string,
  ): Map<string, Rewrite> {
    const node = objectAt(nodes, id),
      theirs = objectAt(controls, id)
    const changed = partChanges(update, section, node, theirs, field)
    if (wanted) {
      const isTheirs =
        theirs && !memberOf(theirs, 'block_order') && wanted.join() === blockOrder(theirs).join()
      if (isPermutation(wanted, blockOrder(node)))
        changed.set(
          'block_order',
          isTheirs ? null : orderText(variant, node!, 'block_order', wanted),
        )
      else at(`${field}.blockOrder`, 'All blocks of the section, each once.')
    }
    const inside = new Map<string, Rewrite>(),
      blockById = new Map(section.blocks.map(each => [each.id, each]))
    for (const [i, { id: blockId, ...block }] of blocks.entries()) {
      const known = blockById.get(blockId)
      if (!known) {
        at(`${field}.blocks.${i}.id`, 'The section has no such block.')
        continue
      }
      if (inside.has(blockId)) {
        at(`${field}.blocks.${i}.id`, 'This block is named twice.')
        continue
      }
      inside.set(
        blockId,
        partChanges(
          block,
          known,
          objectAt(objectAt(node, 'blocks'), blockId),
          objectAt(objectAt(theirs, 'blocks'), blockId),
          `${field}.blocks.${i}`,
        ),
      )
    }
    if (inside.size > 0) changed.set('blocks', inside)
    return changed
  }

  function partChanges(
    { isShown, settings = [] }: { isShown?: boolean; settings?: Settings },
    known: ContentBlock,
    node: JsonNode | undefined,
    theirs: JsonNode | undefined,
    field: string,
  ): Map<string, Rewrite> {
    const changed = new Map<string, Rewrite>(),
      inside = new Map<string, Rewrite>(),
      byId = new Map(known.settings.map(each => [each.id, each]))
    if (isShown !== undefined && isShown !== known.isShown)
      changed.set(
        'disabled',
        !isShown ? 'true' : scalarAt(theirs, 'disabled') === false ? 'false' : null,
      )
    for (const [i, { id, value }] of settings.entries()) {
      const setting = byId.get(id)
      if (!setting) {
        at(`${field}.settings.${i}.id`, 'There is no such setting.')
        continue
      }
      if (inside.has(id)) {
        at(`${field}.settings.${i}.id`, 'This setting is named twice.')
        continue
      }
      const wrong = value === null ? null : valueProblem(setting, value)
      if (wrong) {
        at(`${field}.settings.${i}.value`, wrong)
        continue
      }
      const standing = memberOf(objectAt(theirs, 'settings'), id)
      inside.set(
        id,
        value !== null && value !== setting.control
          ? JSON.stringify(value)
          : standing
            ? control!.slice(standing.start, standing.end)
            : null,
      )
    }
    if (inside.size === 0) return changed
    const isLeft =
      [...inside.values()].some(each => each !== null) ||
      objectAt(node, 'settings')?.members.some(each => inside.get(each.key) !== null)
    // If no setting is left and the control has no settings, remove the whole member.
    if (isLeft || memberOf(theirs, 'settings')) changed.set('settings', inside)
    else if (memberOf(node, 'settings')) changed.set('settings', null)
    return changed
  }
}

/** What is wrong with a value for a setting; null when nothing is. */
export function valueProblem(
  { kind, choices }: Pick<ContentSetting, 'kind' | 'choices'>,
  value: JsonScalar,
): string | null {
  switch (kind) {
    case 'other':
      return 'This is a list, which only the shop’s own theme editor changes.'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'Write a number.'
    case 'yesNo':
      return typeof value === 'boolean' ? null : 'Either yes or no.'
    case 'choice':
      return choices.some(choice => choice.value === value)
        ? null
        : 'Choose one of those that are offered.'
    case 'picture':
    case 'link':
      return typeof value === 'string' ? attributeValueProblem(value) : 'Write a text.'
    case 'text':
    case 'longText':
    case 'page':
    case 'product':
    case 'collection':
    case 'colour':
      return typeof value === 'string' ? null : 'Write a text.'
  }
}

const isPermutation = (order: readonly string[], of: readonly string[]): boolean =>
  order.length === of.length &&
  new Set(order).size === of.length &&
  order.every(id => of.includes(id))

/**
 * The text of a list of ids in another order. Ids in the list that are not in `order` keep their
 * places.
 */
function orderText(text: string, node: JsonNode, key: string, order: readonly string[]): string {
  const list = memberOf(node, key),
    ids = stringsAt(node, key)
  if (
    list?.type !== 'array' ||
    !ids ||
    ids.length !== list.items.length ||
    new Set(ids).size < ids.length
  )
    return `[${order.map(id => JSON.stringify(id)).join(', ')}]`
  const places = ids.flatMap((id, at) => (order.includes(id) ? [at] : [])),
    items = ids.map((_, at) => at)
  for (const [i, id] of order.entries()) items[places[i]!] = ids.indexOf(id)
  return reordered(text, list, items)
}
