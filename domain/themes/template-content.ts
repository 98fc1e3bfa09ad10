import * as Type from 'typebox'
import { closed, Maybe } from '../api/call.ts'
import {
  isSameJson,
  type JsonNode,
  type JsonObject,
  jsonTree,
  memberOf,
  objectAt,
  scalarAt,
  stringsAt,
} from '../json-text.ts'
import {
  kindOfValue,
  labelOf,
  type SectionSchema,
  settingKinds,
  settingLabel,
  type SettingSchema,
} from '../drafts/section-schema.ts'
import { templateKind } from './template-kind.ts'
import { changeStates, templateKinds } from '../tests/test-target.ts'

const Value = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])
export const ContentSetting = Type.Object({
  id: Type.String(),
  label: Type.String(),
  kind: Type.Enum([...settingKinds]),
  /**
   * The value that is drawn: the template's own, or else the section's default. A list or an object
   * is given as JSON text.
   */
  value: Value,
  /** The same in the control; null when the control does not have this section or block. */
  control: Value,
  isChanged: Type.Boolean(),
  choices: Type.Array(Type.Object({ value: Type.String(), label: Type.String() })),
})
export type ContentSetting = Type.Static<typeof ContentSetting>
export const ContentBlock = Type.Object({
  id: Type.String(),
  type: Type.String(),
  name: Type.String(),
  isShown: Type.Boolean(),
  /** Whether the control shows it; null when the control does not have it. */
  isShownInControl: Maybe(Type.Boolean()),
  settings: Type.Array(ContentSetting),
})
export type ContentBlock = Type.Static<typeof ContentBlock>
export const ContentSection = Type.Object({
  ...ContentBlock.properties,
  blocks: Type.Array(ContentBlock),
  areBlocksMoved: Type.Boolean(),
})
export type ContentSection = Type.Static<typeof ContentSection>

/**
 * The sections of a variant's template, in order, with their blocks and settings, each beside the
 * control's.
 */
export const TemplateContent = Type.Object({
  /** `Unsupported`: a Liquid template, or one that cannot be read. It has no sections here. */
  kind: Type.Enum([...templateKinds]),
  /** The version of the file. Send it with changes. */
  version: Type.String(),
  /** True when someone has changed the file in the shop since we last wrote it. */
  isEditedInShop: Type.Boolean(),
  changeState: Type.Enum([...changeStates]),
  isMoved: Type.Boolean(),
  /**
   * Number of differences from the control: settings, order, visibility, and sections and blocks
   * that only one of the two has.
   */
  changeCount: Type.Integer(),
  sections: Type.Array(ContentSection),
})
export type TemplateContent = Type.Static<typeof TemplateContent>
export type Sections = Pick<TemplateContent, 'isMoved' | 'changeCount' | 'sections'>

const Key = Type.String({ minLength: 1, maxLength: 200 })
export const longestText = 20_000
/** A setting with its new value. Null means the control's value. */
const SettingInput = Type.Object(
  {
    id: Key,
    value: Type.Union([
      Type.String({ maxLength: longestText }),
      Type.Number(),
      Type.Boolean(),
      Type.Null(),
    ]),
  },
  closed,
)
const BlockInput = Type.Object(
  {
    id: Key,
    isShown: Type.Optional(Type.Boolean()),
    settings: Type.Optional(Type.Array(SettingInput, { maxItems: 500 })),
  },
  closed,
)
const SectionInput = Type.Object(
  {
    ...BlockInput.properties,
    blocks: Type.Optional(Type.Array(BlockInput, { maxItems: 200 })),
    blockOrder: Type.Optional(Type.Array(Key, { maxItems: 200 })),
  },
  closed,
)
/** What is left out does not change. */
export const TemplateContentUpdate = Type.Object(
  {
    /** The version of the file that the client read. */
    version: Type.String({ maxLength: 100 }),
    /** All sections, in their new order. */
    order: Type.Optional(Type.Array(Key, { maxItems: 200 })),
    sections: Type.Optional(Type.Array(SectionInput, { maxItems: 200 })),
  },
  closed,
)
export type TemplateContentUpdate = Type.Static<typeof TemplateContentUpdate>
export type SectionUpdate = Type.Static<typeof SectionInput>
export type Schemas = ReadonlyMap<string, SectionSchema>

/** The tree of a template; null when we cannot edit it. */
export const templateTree = (body: string): JsonNode | null =>
  templateKind('json', body) === 'Simple' ? jsonTree(body) : null

/** Types of the sections that a template draws. */
export const sectionTypes = (template: JsonNode | null): string[] =>
  [
    ...new Set(
      objectAt(template ?? undefined, 'sections')?.members.map(({ value }) => typeOf(value)) ?? [],
    ),
  ].filter(Boolean)

/** Compares the sections of two templates. Without a control, every section is new. */
export function sectionsOf(
  variant: JsonNode,
  control: JsonNode | null,
  schemas: Schemas,
): Sections {
  const own = objectAt(variant, 'sections'),
    theirs = objectAt(control ?? undefined, 'sections')
  const order = orderOf(variant),
    before = control ? orderOf(control) : order
  const sections = order.map((id): ContentSection => {
    const node = objectAt(own, id),
      other = objectAt(theirs, id),
      schema = schemas.get(typeOf(node))
    const blocks = blockOrder(node),
      controlBlocks = blockOrder(other)
    return {
      ...part(id, node, other, schema),
      blocks: blocks.map(block => {
        const [there, here] = [other, node].map(section =>
          objectAt(objectAt(section, 'blocks'), block),
        )
        return part(block, here, there, schema?.blocks.get(typeOf(here)))
      }),
      areBlocksMoved: other !== undefined && isMoved(blocks, controlBlocks),
    }
  })
  const moved = isMoved(order, before)
  // A section or block that the control has and the variant lacks is a change too.
  const lacking = (is: readonly string[], was: readonly string[]) =>
    was.filter(id => !is.includes(id)).length
  const counts = sections.flatMap(section => [
    Number(section.areBlocksMoved),
    lacking(
      section.blocks.map(each => each.id),
      blockOrder(objectAt(theirs, section.id)),
    ),
    ...[section, ...section.blocks].map(changesOf),
  ])
  return {
    sections,
    isMoved: moved,
    changeCount: counts.reduce((sum, count) => sum + count, Number(moved) + lacking(order, before)),
  }
}

/**
 * Number of changes in a section or block: settings that differ from the control, and whether it is
 * shown. A section or block that the control does not have is one change.
 */
export const changesOf = ({ settings, isShown, isShownInControl }: ContentBlock): number =>
  isShownInControl === null
    ? 1
    : settings.filter(each => each.isChanged).length + Number(isShown !== isShownInControl)

export const typeOf = (node: JsonNode | undefined): string => {
  const type = scalarAt(node, 'type')
  return typeof type === 'string' ? type : ''
}
/** Ids of a template's sections, in the order in which they are drawn. */
export const orderOf = (template: JsonNode): string[] => [
  ...new Set(stringsAt(template, 'order') ?? []),
]
/** Ids of a section's blocks, in the order in which they are drawn. */
export function blockOrder(section: JsonNode | undefined): string[] {
  const blocks = objectAt(section, 'blocks')
  const known = new Set(blocks?.members.map(each => each.key))
  return [...new Set(stringsAt(section, 'block_order') ?? known)].filter(id => known.has(id))
}
/**
 * Moves an id up (-1) or down (1) in a list. Returns the same order when it cannot move further.
 */
export function moved(ids: readonly string[], id: string, by: -1 | 1): string[] {
  const from = ids.indexOf(id),
    to = from + by,
    list = [...ids]
  if (from < 0 || to < 0 || to >= list.length) return list
  list[from] = list[to]!
  list[to] = id
  return list
}

function part(
  id: string,
  node: JsonObject | undefined,
  other: JsonObject | undefined,
  schema: { name: string | null; settings: SettingSchema[] } | undefined,
): ContentBlock {
  const type = typeOf(node),
    name = scalarAt(node, 'name')
  return {
    id,
    type,
    name: (typeof name === 'string' && name.trim()) || (schema?.name ?? (labelOf(type) || id)),
    isShown: isShown(node),
    isShownInControl: other ? isShown(other) : null,
    settings: settingsOf(node, other, schema?.settings ?? []),
  }
}

/** The settings that the section's file lists, in its order, then all others in the template. */
function settingsOf(
  node: JsonObject | undefined,
  other: JsonObject | undefined,
  schema: readonly SettingSchema[],
): ContentSetting[] {
  const [own, theirs] = [objectAt(node, 'settings'), objectAt(other, 'settings')]
  const byId = new Map(schema.map(each => [each.id, each]))
  const ids = new Set([
    ...byId.keys(),
    ...(own?.members.map(each => each.key) ?? []),
    ...(theirs?.members.map(each => each.key) ?? []),
  ])
  return [...ids].map((id): ContentSetting => {
    const known = byId.get(id),
      mine = memberOf(own, id),
      control = memberOf(theirs, id)
    const byDefault = known?.byDefault ?? null
    const value = valueOf(mine, byDefault),
      before = other ? valueOf(control, byDefault) : null
    const isList = [mine, control].some(each => each && each.type !== 'scalar')
    const kind = isList ? 'other' : (known?.kind ?? kindOfValue(id, value ?? before))
    const isSame = mine && control && isList ? isSameJson(mine, control) : value === before
    // A choice without choices is edited as a text.
    return {
      id,
      label: known?.label ?? settingLabel(id),
      kind: kind === 'choice' && !known?.choices.length ? 'text' : kind,
      value,
      control: before,
      isChanged: other !== undefined && !isSame,
      choices: known?.choices ?? [],
    }
  })
}

const valueOf = (
  node: JsonNode | undefined,
  byDefault: ContentSetting['value'],
): ContentSetting['value'] =>
  node === undefined ? byDefault : node.type === 'scalar' ? node.value : JSON.stringify(plain(node))
function plain(node: JsonNode): unknown {
  if (node.type === 'scalar') return node.value
  return node.type === 'array'
    ? node.items.map(plain)
    : Object.fromEntries(node.members.map(({ key, value }) => [key, plain(value)]))
}
const isShown = (node: JsonNode | undefined): boolean => scalarAt(node, 'disabled') !== true
const isMoved = (order: readonly string[], before: readonly string[]): boolean => {
  const common = order.filter(id => before.includes(id)),
    was = before.filter(id => order.includes(id))
  return common.some((id, at) => id !== was[at])
}
