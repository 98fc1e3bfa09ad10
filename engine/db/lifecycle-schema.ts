import type { ColumnType, Generated } from 'kysely'
import type { Arm } from '../../domain/arm.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import type { HoldCause } from '../../domain/tests/hold-cause.ts'
import type { ScriptTest } from '../../domain/script/script-config.ts'
import type { TemplateType } from '../../domain/themes/template.ts'
import type { MissingTemplate } from '../../domain/themes/theme.ts'
import type { ChangeState, TemplateKind, TestTarget } from '../../domain/tests/test-target.ts'
import type { Json } from './schema.ts'

/** Tables of migrations 0005, 0021, 0027, 0052 and 0057. */
export type LifecycleSchema = {
  journal: JournalTable
  journal_plans: JournalPlansTable
  journal_turns: JournalTurnsTable
  shop_rates: ShopRatesTable
  template_copies: TemplateCopiesTable
  theme_checks: ThemeChecksTable
  script_leftovers: ScriptLeftoversTable
  pictures: PicturesTable
}

/** A target, with the hash of its template from when the target was created or chosen. */
export type StoredTarget = TestTarget & { hash: string | null }
type JsonDefault<T> = ColumnType<T, string | undefined, string>
type MaybeJson<T> = ColumnType<T | null, string | null | undefined, string | null>

/** The columns that migration 0005 adds to both drafts and tests. */
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
  /** Why the system holds the test. Kept while it is on hold and while it is suspended. */
  hold_cause: MaybeJson<HoldCause>
  applied_arm: Generated<Arm | null>
  /**
   * The arm that is being applied now, and the time until which we assume that the process doing so
   * is alive.
   */
  applying_arm: Generated<Arm | null>
  applying_until: Generated<Date>
}

/**
 * What we changed in the shop. `place` names it within its kind. Null in `before` or `after` means
 * that nothing was there.
 * `open`: our change, which must be undone. `left`: our change, but the shop now contains something
 * else; the next walk looks again. `kept`: applied for good. `undone`: reverted.
 */
export type JournalTable = {
  store_id: string
  seq: Generated<number>
  /** The same for all changes of one action. */
  batch_id: string
  /** The test's id, or the draft's id until it is launched. Null: belongs to no test. */
  test_id: string | null
  kind: 'file' | 'assignment' | 'price' | 'theme' | 'redirect' | 'picture'
  place: Json<string[]>
  what: string
  before: string | null
  after: string | null
  state: 'open' | 'left' | 'kept' | 'undone'
  created_at: Date
  /** The plan whose step this is. */
  plan_id: Generated<string | null>
  /** The shop's words when it refused to have this undone. */
  refusal: Generated<string | null>
}

/**
 * Changes that are made in several steps. The row exists until the last step is made or undone.
 * `undoing`: the shop refused a step with `refusal`.
 */
export type JournalPlansTable = {
  store_id: string
  plan_id: string
  test_id: string | null
  state: 'running' | 'undoing'
  refusal: Generated<string | null>
  /** Until then we assume that the process that makes the steps is alive. */
  until: Date
  created_at: Date
}

/** Which process may change the shop now, and until when if it does not renew its turn. */
export type JournalTurnsTable = { store_id: string; holder: string; ends_at: Date }

/**
 * How fast we may ask a shop now. `next_at`: when everything that was let through is paid for.
 * `slowed_until`: the platform refused us, so `per_second` is lower until then.
 */
export type ShopRatesTable = {
  shop: string
  per_second: number
  next_at: Date
  slowed_until: Generated<Date>
}

/** Templates of the live theme that we duplicated for merchants. */
export type TemplateCopiesTable = {
  store_id: string
  type: TemplateType
  suffix: string
  from_suffix: string
  resource_ids: Json<string[]>
  created_at: Date
}

/** The last check of a theme's compatibility, for that version of the theme. */
export type ThemeChecksTable = {
  store_id: string
  theme_id: string
  version: string
  missing: Json<MissingTemplate[]>
  checked_at: Date
  /** The live theme that it was compared with: its id and the time of its last change. */
  live_version: string
  is_same_as_live: boolean
}

/**
 * What the script removes from screens after a test was deleted, in the form in which it is
 * published.
 */
export type ScriptLeftoversTable = {
  store_id: string
  test_id: string
  script: Json<ScriptTest>
  until: Date
}

/**
 * Pictures that merchants uploaded, as we publish them. `name` is the file name on the shop's asset
 * host.
 */
export type PicturesTable = {
  store_id: string
  name: string
  type: string
  body: Buffer
  bytes: number
  created_at: Date
}
