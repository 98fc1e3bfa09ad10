import type { ColumnType, Generated } from 'kysely'
import type { Arm } from '../../domain/arm.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import type { HoldCause } from '../../domain/tests/hold-cause.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import type { TemplateType } from '../../domain/themes/template.ts'
import type { MissingTemplate } from '../../domain/themes/theme.ts'
import type { ChangeState, TemplateKind, TestTarget } from '../../domain/tests/test-target.ts'
import type { Json } from './schema.ts'

/** Tables of migrations 0005, 0021 and 0027. */
export type LifecycleSchema = {
  journal: JournalTable
  template_copies: TemplateCopiesTable
  theme_checks: ThemeChecksTable
  script_leftovers: ScriptLeftoversTable
  pictures: PicturesTable
}

/** A target with the hash of its template as it was when it was made or chosen. */
export type StoredTarget = TestTarget & { hash: string | null }
type JsonDefault<T> = ColumnType<T, string | undefined, string>
type MaybeJson<T> = ColumnType<T | null, string | null | undefined, string | null>

/** What 0005 adds to drafts and tests alike. */
export type TargetColumns = {
  control_target: MaybeJson<StoredTarget>
  variant_target: MaybeJson<StoredTarget>
  resource_ids: JsonDefault<string[]>
  audience_ids: JsonDefault<string[]>
  api_mode: Generated<TestDraft['apiMode']>
}
export type DraftColumns = {
  template_kind: Generated<TemplateKind | null>
  change_state: Generated<ChangeState | null>
}
export type TestColumns = {
  /** The shop's live theme when the test was launched. */
  live_theme_id: Generated<string | null>
  /** Why the system holds it; kept while it is on hold, and through a suspension. */
  hold_cause: MaybeJson<HoldCause>
  applied_arm: Generated<Arm | null>
  /** An application that is under way, and until when its process may be thought alive. */
  applying_arm: Generated<Arm | null>
  applying_until: Generated<Date>
}

/**
 * What we changed in the shop. `place` names it within its kind; null before or after: nothing was there.
 * `open`: ours, to be undone. `left`: ours once, but the shop holds something else now; looked at again at the next walk.
 * `kept`: applied. `undone`: over.
 */
export type JournalTable = {
  store_id: string
  seq: Generated<number>
  /** What was changed in one act. */
  batch_id: string
  /** The test's, or its draft's until it is launched; null: of no test. */
  test_id: string | null
  kind: 'file' | 'assignment' | 'price' | 'theme' | 'redirect' | 'picture'
  place: Json<string[]>
  what: string
  before: string | null
  after: string | null
  state: 'open' | 'left' | 'kept' | 'undone'
  created_at: Date
}

/** Templates that merchants had us duplicate in the live theme. */
export type TemplateCopiesTable = {
  store_id: string
  type: TemplateType
  suffix: string
  from_suffix: string
  resource_ids: Json<string[]>
  created_at: Date
}

/** A theme's compatibility as last found, for that version of it. */
export type ThemeChecksTable = {
  store_id: string
  theme_id: string
  version: string
  missing: Json<MissingTemplate[]>
  checked_at: Date
  /** The live theme that it was compared with, and its version. */
  live_version: string
  is_same_as_live: boolean
}

/** What the script takes off screens again of a test that was deleted, as it is published. */
export type ScriptLeftoversTable = {
  store_id: string
  test_id: string
  script: Json<ScriptTest>
  until: Date
}

/** Pictures that merchants uploaded, as they are published. `name` is the file's on the shop's asset host. */
export type PicturesTable = {
  store_id: string
  name: string
  type: string
  body: Buffer
  bytes: number
  created_at: Date
}
