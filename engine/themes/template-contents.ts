import { templateStem } from '../../domain/themes/template.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { sectionSchema } from '../../domain/drafts/section-schema.ts'
import { changedTemplate } from '../../domain/themes/template-changes.ts'
import {
  sectionsOf,
  sectionTypes,
  type Schemas,
  type TemplateContent,
  templateTree,
} from '../../domain/themes/template-content.ts'
import { targetKind } from '../../domain/tests/test-target.ts'
import type { EngineContext } from '../context.ts'
import type { StoredTarget } from '../db/lifecycle-schema.ts'
import { type DraftRow, requireDraft } from '../drafts/draft-rows.ts'
import { isOurFile, refused } from '../drafts/draft-target-templates.ts'
import { findTemplate, hashOf, kindOf, type LiveTemplate, liveTheme } from './live-templates.ts'
import { requireNeed } from '../platform/store-capabilities.ts'
import type { Serve } from '../http/routes.ts'

/** Serves the content of the template copy that was made for a draft's variant, and changes it. */
export function templateContents(serve: Serve, context: EngineContext): void {
  const {
    db: { kysely },
    journal,
  } = context

  serve('templateContent', async ({ params: { id } }, { storeId, shop }) =>
    contentOf(context, await requireDraft(kysely, storeId, id), shop),
  )

  serve(
    'setTemplateContent',
    async ({ params: { id }, body: { version, ...update } }, { storeId, shop }) => {
      const draft = await requireDraft(kysely, storeId, id)
      const { themeId, variant, control, schemas } = await templatesOf(context, draft, shop)
      const { name, body: from } = variant.file
      if (hashOf(from) !== version)
        throw new HttpProblem(409, 'The template was changed in the shop since it was read.', [
          { field: 'version', message: `is ${hashOf(from)} now` },
        ])
      const made = changedTemplate(
        { variant: from, control: control?.file.body ?? null, schemas },
        update,
      )
      if ('problems' in made) throw new HttpProblem(400, made.problems[0]!.message, made.problems)
      if (made.body !== from) {
        await requireNeed(context, shop, 'themeFiles')
        await journal.editFile({
          storeId,
          testId: draft.draft_id,
          isDraft: true,
          themeId,
          name,
          from,
          to: made.body,
        })
        // Deletes the launch checks, because the browser saw the page as it was before.
        await kysely
          .deleteFrom('launch_checks')
          .where('store_id', '=', storeId)
          .where('draft_id', '=', draft.draft_id)
          .execute()
      }
      const { hash } = draft.variant_target!
      await kysely
        .updateTable('drafts')
        .set({ change_state: hash === hashOf(made.body) ? 'Unmodified' : 'Modified' })
        .where('store_id', '=', storeId)
        .where('draft_id', '=', draft.draft_id)
        .execute()
      return contentOf(context, draft, shop)
    },
  )
}

async function contentOf(
  context: Pick<EngineContext, 'platform' | 'journal'>,
  draft: DraftRow,
  shop: string,
): Promise<TemplateContent> {
  const { variant, control, schemas } = await templatesOf(context, draft, shop)
  const { name, body } = variant.file,
    version = hashOf(body)
  const tree = treeOf(variant)
  return {
    kind: tree ? kindOf(variant) : 'Unsupported',
    version,
    changeState: version === draft.variant_target!.hash ? 'Unmodified' : 'Modified',
    isEditedInShop:
      body !== (await context.journal.lastWritten(draft.store_id, draft.draft_id, name)),
    ...(tree
      ? sectionsOf(tree, treeOf(control), schemas)
      : { isMoved: false, changeCount: 0, sections: [] }),
  }
}

/**
 * Reads the copy that was made for a draft, and its control, from the live theme, with the schemas
 * of the copy's sections. Throws HttpProblem: 400 if the draft has no copy of ours, 404 if the live
 * theme does not have it.
 */
async function templatesOf(
  { platform }: Pick<EngineContext, 'platform'>,
  { kind, variant_target: target, control_target: control }: DraftRow,
  shop: string,
): Promise<{
  themeId: string
  variant: LiveTemplate
  control: LiveTemplate | null
  schemas: Schemas
}> {
  if (targetKind(kind) !== 'template')
    throw refused('kind', 'Only template and page content tests have a template to change.')
  if (!target) throw refused('variant', 'Create the variant first.')
  if (!isOurFile(target))
    throw refused(
      'variant',
      'The variant was in the shop before this test. Change it in your shop’s theme editor.',
    )
  const { id: themeId, name } = await liveTheme(platform, shop)
  const find = ({ templateType, suffix }: StoredTarget) =>
    findTemplate(platform, shop, themeId, templateType!, suffix!)
  const [variant, other] = await Promise.all([find(target), control ? find(control) : null])
  if (!variant)
    throw new HttpProblem(
      404,
      `The live theme ${name} has no template ${templateStem(target.templateType!, target.suffix!)}.`,
    )
  const types = sectionTypes(treeOf(variant)).filter(type => /^[A-Za-z0-9_-]+$/.test(type))
  const files =
    types.length > 0
      ? await platform.themeFiles(
          shop,
          themeId,
          types.map(type => `sections/${type}.liquid`),
        )
      : []
  const schemas = new Map(
    files.flatMap(file => {
      const schema = sectionSchema(file.body)
      return schema
        ? [[file.name.slice('sections/'.length, -'.liquid'.length), schema] as const]
        : []
    }),
  )
  return { themeId, variant, control: other, schemas }
}

const treeOf = (template: LiveTemplate | null) =>
  template?.format === 'json' ? templateTree(template.file.body) : null
