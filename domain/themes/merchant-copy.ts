import * as Type from 'typebox'
import { templateKind } from './template-kind.ts'

/** What a merchant does to make the copy that a test needs, where the platform lets only them. */
export const MerchantCopy = Type.Object({
  kind: Type.Enum(['template', 'theme']),
  /** What is copied: "product.story", or the name of a theme. */
  original: Type.String(),
  /** What the copy should be called. */
  name: Type.String(),
  /** The page of the shop's admin where the copy is made. */
  address: Type.String(),
})
export type MerchantCopy = Type.Static<typeof MerchantCopy>

/** The suffix that the copy for a draft or test should have. It differs from draft to draft. */
export const copySuffix = (id: string): string => `ts-${id.replaceAll('-', '').slice(0, 6)}`
/** What the copy of a theme should be called. */
export const copyThemeName = (original: string, id: string): string =>
  `${original} ${copySuffix(id)}`

/** The words while the copy cannot be found. */
export const copyNotFound = ({ kind, original, name }: Omit<MerchantCopy, 'address'>): string =>
  `There is no copy of ${original} yet. In your shop’s admin, copy the ${kind} under the name ${name}, then look for it again.`

type File = { format: 'json' | 'liquid'; body: string }

/**
 * Why a template that the merchant made cannot be the variant of this control, however much of it
 * was changed since; null when it can.
 */
export function templateCopyProblem(
  original: { name: string } & File,
  copy: { name: string } & File,
): string | null {
  if (templateKind(copy.format, copy.body) === 'Unsupported')
    return `${copy.name} is a Liquid template, or cannot be read. Copy the JSON template ${original.name}.`
  const types = sectionTypes(original.body)
  return types.length > 0 && !sectionTypes(copy.body).some(type => types.includes(type))
    ? `${copy.name} has no section of ${original.name}, so it is no copy of it. Copy ${original.name} again.`
    : null
}

/** Why a theme that the merchant made is no copy of this one; null when it can be. */
export function themeCopyProblem(
  original: { name: string; files: readonly string[] },
  copy: { name: string; files: readonly string[] },
): string | null {
  const there = new Set(copy.files)
  const missing = original.files.filter(name => !there.has(name))
  if (missing.length === 0) return null
  const named = missing.slice(0, 3).join(', ')
  return `${copy.name} lacks files of ${original.name}: ${named}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}. Duplicate ${original.name} again.`
}

function sectionTypes(body: string): string[] {
  const { sections } = JSON.parse(body.replace(/^\s*\/\*[\s\S]*?\*\//, '')) as {
    sections: Record<string, { type?: unknown }>
  }
  return Object.values(sections).map(({ type }) => String(type))
}
