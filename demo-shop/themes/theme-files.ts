import { readdirSync, readFileSync } from 'node:fs'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { HttpProblem } from '../../domain/problem.ts'

/** A theme's files by name ("sections/hero.liquid"); all of them are text. */
export type ThemeFiles = ReadonlyMap<string, string>
export type Settings = Record<string, unknown>

export const fileLimits = {
  bytes: 512 * 1024,
  sections: 25,
  /** Per section, as on the hosted platform. */
  blocks: 50,
  templates: 1_000,
  atOnce: 50,
  name: 100,
} as const
const endings: Record<string, RegExp> = {
  layout: /^theme\.liquid$/,
  templates: /^[a-z0-9]+(\.[A-Za-z0-9_-]{1,50})?\.(json|liquid)$/,
  sections: /^[A-Za-z0-9_-]+\.liquid$/,
  snippets: /^[A-Za-z0-9_-]+\.liquid$/,
  config: /^settings_data\.json$/,
  assets: /^[A-Za-z0-9_-][A-Za-z0-9._-]*\.(css|js|svg|json)$/,
}

const Fields = Type.Record(Type.String(), Type.Unknown())
const Block = Type.Object({
  type: Type.String(),
  settings: Type.Optional(Fields),
  disabled: Type.Optional(Type.Boolean()),
})
const Section = Type.Object({
  type: Type.String(),
  settings: Type.Optional(Fields),
  blocks: Type.Optional(Type.Record(Type.String(), Block)),
  block_order: Type.Optional(Type.Array(Type.String())),
  disabled: Type.Optional(Type.Boolean()),
})
export type SectionData = Type.Static<typeof Section>
const Template = Type.Object({
  sections: Type.Record(Type.String(), Section),
  order: Type.Array(Type.String()),
})
export type TemplateData = Type.Static<typeof Template>
const SettingsData = Type.Object({
  current: Type.Object({ sections: Type.Record(Type.String(), Section) }),
})
const checkTemplate = Compile(Template)
const checkSettings = Compile(SettingsData)

/** The error for a file that is refused; apps and the theme editor show the message. */
export const refuse = (file: string, message: string): HttpProblem =>
  new HttpProblem(422, `${file}: ${message}`, [{ field: file, message }])

/** Throws HttpProblem 422 for a name or body that no theme can hold. */
export function checkFile(name: string, body: string): void {
  const [folder = '', file = '', ...rest] = name.split('/')
  if (
    name.length > fileLimits.name ||
    rest.length > 0 ||
    !Object.hasOwn(endings, folder) ||
    !endings[folder]!.test(file)
  )
    throw refuse(name, 'A theme has no file of this name.')
  if (Buffer.byteLength(body) > fileLimits.bytes)
    throw refuse(name, `A file has at most ${fileLimits.bytes / 1024} KB.`)
  if (!body.isWellFormed() || body.includes('\0')) throw refuse(name, 'This is no text.')
}

/** Parses a JSON template and checks that its sections exist. Throws HttpProblem 422. */
export function parseTemplate(
  file: string,
  body: string,
  sections: { has: (type: string) => boolean },
): TemplateData {
  const data = parsed(file, body)
  if (!checkTemplate.Check(data)) throw refuse(file, shapeOf(checkTemplate.Errors(data)))
  const names = Object.keys(data.sections)
  if (names.length > fileLimits.sections)
    throw refuse(file, `A template has at most ${fileLimits.sections} sections.`)
  if (new Set(data.order).size < data.order.length)
    throw refuse(file, 'The order names a section twice.')
  const missing = data.order.find(name => !Object.hasOwn(data.sections, name))
  if (missing !== undefined)
    throw refuse(file, `The order names “${missing}”, which is none of its sections.`)
  checkSections(file, data.sections, sections)
  return data
}

/** Parses the theme's own settings and the sections that every page has. Throws HttpProblem 422. */
export function parseSettings(
  file: string,
  body: string,
  sections: { has: (type: string) => boolean },
): { settings: Settings; fixed: Record<string, SectionData> } {
  const data = parsed(file, body)
  if (!checkSettings.Check(data)) throw refuse(file, shapeOf(checkSettings.Errors(data)))
  const { sections: fixed, ...settings } = data.current
  checkSections(file, fixed, sections)
  return { settings, fixed }
}

function checkSections(
  file: string,
  all: Record<string, SectionData>,
  sections: { has: (type: string) => boolean },
): void {
  for (const [name, { type, blocks = {}, block_order }] of Object.entries(all)) {
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(name))
      throw refuse(file, `“${name}” is no name for a section: letters, digits, “-” and “_”.`)
    if (!sections.has(type))
      throw refuse(file, `Section “${name}” is of type “${type}”, which the theme does not have.`)
    if (
      Object.keys(blocks).length > fileLimits.blocks ||
      (block_order ?? []).length > fileLimits.blocks
    )
      throw refuse(file, `Section “${name}” has more than ${fileLimits.blocks} blocks.`)
    if (new Set(block_order).size < (block_order ?? []).length)
      throw refuse(file, `Section “${name}” orders a block twice.`)
    const missing = block_order?.find(block => !Object.hasOwn(blocks, block))
    if (missing !== undefined)
      throw refuse(file, `Section “${name}” orders a block “${missing}” that it does not have.`)
  }
}

function parsed(file: string, body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    throw refuse(file, `This is not JSON: ${(error as Error).message}`)
  }
}

const shapeOf = ([error]: { instancePath: string; message: string }[]): string =>
  `${error?.instancePath.slice(1).replaceAll('/', '.') || 'It'} ${error?.message ?? 'is not as it should be'}.`

const themesFolder = new URL('./', import.meta.url)

/** The files a theme starts with, read from themes/<folder>/. */
export function startingFiles(folder: string): ThemeFiles {
  const root = new URL(`${folder}/`, themesFolder)
  return new Map(
    Object.keys(endings)
      .flatMap(sub => readdirSync(new URL(`${sub}/`, root)).map(file => `${sub}/${file}`))
      .map(name => [name, readFileSync(new URL(name, root), 'utf8')]),
  )
}
