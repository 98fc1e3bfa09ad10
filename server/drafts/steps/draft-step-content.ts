import type { FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Api } from '../../../domain/api/api-client.ts'
import { brandPalette } from '../../../domain/brand/brand-palette.ts'
import {
  argumentIds,
  contentField,
  contentUpdate,
  contentVersionField,
  contentWas,
  contentWasField,
  keepMine,
} from '../../../domain/drafts/content-form.ts'
import { contentPictures } from '../../../domain/drafts/content-offers.ts'
import type { TestDraft } from '../../../domain/drafts/draft.ts'
import { paths } from '../../../domain/paths.ts'
import { type FieldProblem, HttpProblem } from '../../../domain/problem.ts'
import {
  moved,
  type SectionUpdate,
  type TemplateContent,
} from '../../../domain/themes/template-content.ts'
import { ContentAside, ContentMissing } from '../../../views/drafts/steps/draft-step-content.tsx'
import { Preview, previewAt } from '../../../views/drafts/draft-stage.tsx'
import { isShopSilent, unanswered } from '../../upstream/api-outcomes.ts'
import { autosave } from '../draft-save.ts'
import { keptContent, restoreContent } from '../draft-kept.ts'
import { type ActContext, postedText, refused, type Shown, type StepModule } from './draft-step.ts'
import { assignedTypeOf, templateEditor } from '../draft-targets.ts'
import { carriedTo, queryOf } from '../../http/query.ts'

/** The step that edits the variant's sections and texts, next to those of the control. */
export const contentStep: StepModule = {
  show: async ({ request, api, draft, posted, props }) => {
    const editor = await editorOf(request, api, draft)
    const missing = (message: string | null): Shown => ({
      stage: h(ContentMissing, { ...props, message, editor }),
      ...(message === null && { ownContinue: true as const }),
    })
    if (!draft.variant || !draft.control?.templateType) return missing(null)
    const content = await contentOf(api, draft)
    if (typeof content === 'string') return missing(content)
    if (content.kind === 'Unsupported')
      return missing(
        'You cannot change this template here: it is a Liquid template, or we cannot read it. Change it in your shop’s theme editor.',
      )
    const [path, brandStyle] = await Promise.all([testedPath(api, draft), api.brandStyle({})])
    const { origin } = new URL(draft.previewUrls[0])
    const offers = {
      pages: props.pages,
      pictures: contentPictures(content, origin),
      origin,
      brand: brandPalette(brandStyle).colours,
      uploads: carriedTo(request, paths.draftUploads(draft.id)),
    }
    const version = postedText(posted, contentVersionField)
    const previews = (path ? props.previews.map(url => previewAt(url, path)) : props.previews) as [
      string,
      string,
    ]
    return {
      stage: h(Preview, { draft, previews }),
      ownContinue: true,
      kept: keptContent(content),
      aside: h(ContentAside, {
        ...props,
        content,
        editor,
        posted,
        version: version || content.version,
        was: version ? postedText(posted, contentWasField) : contentWas(content),
        opened: queryOf(request).get('open'),
        offers,
      }),
    }
  },
  save: async context => {
    if (!postedText(context.posted, contentVersionField)) return []
    try {
      // Tries twice: another save of the same page, sent as the merchant left it, may have changed
      // the template in between.
      return (await writeTyped(context)) ?? (await writeTyped(context)) ?? [changedInShop]
    } catch (error) {
      if (isShopSilent(error)) return [shopIsSilent(error)]
      throw error
    }
  },
  acts: {
    restore: restoreContent,
    up: (context, argument) => move(context, argument, -1),
    down: (context, argument) => move(context, argument, 1),
    hide: (context, argument) => show(context, argument, false),
    show: (context, argument) => show(context, argument, true),
    reset: (context, argument) =>
      change(context, argument, ([section, block, setting]) => ({
        sections: [inPart(section!, block, { settings: [{ id: setting ?? '', value: null }] })],
      })),
    // Nothing to do: `save` has stored what was typed.
    mine: async () => {},
  },
}

const changedInShop: FieldProblem = {
  field: 'content',
  message:
    'The variant was changed in your shop’s theme editor meanwhile. What you typed here is not stored yet: press Save.',
}

const shopIsSilent = (error: unknown): FieldProblem => ({
  field: 'content',
  message: unanswered(
    error,
    'Your shop did not answer, so what you typed here may not be stored yet. Press Save in a minute.',
    'What you typed here may not be stored yet. Press Save then.',
  ),
})

/**
 * Writes what was typed into the variant's template. Null when the template was changed between
 * reading and writing it.
 */
async function writeTyped({ api, draft, posted }: ActContext): Promise<FieldProblem[] | null> {
  const content = await contentOf(api, draft)
  if (typeof content === 'string') return [{ field: 'content', message: content }]
  const { sections, problems, isNews, isContested } = contentUpdate(content, posted)
  if (sections.length === 0 || (problems.length > 0 && posted.act !== autosave)) return problems
  // After an autosave, the page would still show the old value of what the shop has changed, and
  // write it back with its next save.
  const isRefused =
    posted.act === autosave ? isNews : isContested && posted.act !== keepMine(content.version)
  if (isRefused) return [changedInShop]
  const refused = await write(api, draft, content, sections)
  return refused && [...problems, ...refused]
}

type Update = Omit<Parameters<Api['setTemplateContent']>[0]['body'], 'version'>
type Ids = [section: string, block: string | null, setting: string | null]

/**
 * Applies a button's change to the current content. Returns the query that keeps the section open.
 */
async function change(
  { api, draft }: ActContext,
  argument: string,
  update: (ids: Ids, content: TemplateContent) => Update,
): Promise<Record<string, string>> {
  const [section, block = null, setting = null] = argumentIds(argument) ?? [],
    params = { id: draft.id }
  const content = await api.templateContent({ params })
  if (!section || !content.sections.some(each => each.id === section))
    throw refused('content', 'This section is no longer in the template.')
  await api
    .setTemplateContent({
      params,
      body: { version: content.version, ...update([section, block, setting], content) },
    })
    .catch((error: unknown) => {
      // The shop names its files, which mean nothing to the merchant.
      if (error instanceof HttpProblem && error.status === 422)
        throw refused('content', error.message)
      throw error
    })
  return { open: section }
}

const move = (context: ActContext, argument: string, by: -1 | 1) =>
  change(context, argument, ([section, block], { sections }) => {
    const order = (parts: readonly { id: string }[], id: string) =>
      moved(
        parts.map(each => each.id),
        id,
        by,
      )
    if (!block) return { order: order(sections, section) }
    return {
      sections: [
        {
          id: section,
          blockOrder: order(sections.find(each => each.id === section)!.blocks, block),
        },
      ],
    }
  })
const show = (context: ActContext, argument: string, isShown: boolean) =>
  change(context, argument, ([section, block]) => ({
    sections: [inPart(section, block, { isShown })],
  }))
const inPart = (
  section: string,
  block: string | null,
  changes: Omit<SectionUpdate, 'id'>,
): SectionUpdate =>
  block ? { id: section, blocks: [{ id: block, ...changes }] } : { id: section, ...changes }

async function write(
  api: Api,
  draft: TestDraft,
  { version }: TemplateContent,
  sections: SectionUpdate[],
): Promise<FieldProblem[] | null> {
  try {
    await api.setTemplateContent({ params: { id: draft.id }, body: { version, sections } })
    return []
  } catch (error) {
    if (!(error instanceof HttpProblem) || ![400, 404, 409, 422].includes(error.status)) throw error
    if (error.status === 409 && error.fields.length > 0) return null
    // Any other refusal names files of the shop, which mean nothing to the merchant.
    if (error.status !== 400 || error.fields.length === 0)
      return [{ field: 'content', message: error.message }]
    return error.fields.map(({ field, message }) => ({
      field: contentField(sections, field),
      message,
    }))
  }
}

/** The content of the variant's template, or a message why it cannot be read. */
async function contentOf(api: Api, draft: TestDraft): Promise<TemplateContent | string> {
  try {
    return await api.templateContent({ params: { id: draft.id } })
  } catch (error) {
    if (error instanceof HttpProblem && (error.status === 400 || error.status === 404))
      return error.message
    throw error
  }
}

async function editorOf(
  request: FastifyRequest,
  api: Api,
  { variant }: TestDraft,
): Promise<string | null> {
  return variant?.templateType
    ? templateEditor(
        request,
        await api.themes({}),
      )({ type: variant.templateType, suffix: variant.suffix ?? '' })
    : null
}

/** Path of a tested page, for the preview; null when no page uses the template. */
async function testedPath(
  api: Api,
  { control, resourceIds: [first] }: TestDraft,
): Promise<string | null> {
  const type = assignedTypeOf(control!.templateType)
  if (!type) return control!.templateType === 'home' ? '/' : `/${control!.templateType}`
  const { items } = await api.templateResources({
    query: { type, suffix: control!.suffix ?? '', limit: 250 },
  })
  return (items.find(({ id }) => id === first) ?? items[0])?.path ?? null
}
