import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JSX } from 'preact'
import type { Api } from '../../../domain/api/api-client.ts'
import type { TestDraft } from '../../../domain/drafts/draft.ts'
import type { DraftStep } from '../../../domain/drafts/draft-steps.ts'
import type { Posted } from '../../../domain/posted.ts'
import { HttpProblem, type FieldProblem } from '../../../domain/problem.ts'
import type { OwnPart } from '../draft-save.ts'
import type { ShopReads } from '../shop-reads.ts'
import type { DraftEditorProps } from '../../../views/drafts/draft-editor.tsx'

/** One step of the editor, on the server; domain/drafts/draft-steps.ts says how steps are added. */
export type StepModule = {
  show: (context: ShowContext) => Promise<Shown> | Shown
  acts?: Record<string, Act>
  /**
   * What the step adds to the save of a draft; `draft` is the stored one. Nothing is stored here.
   */
  part?: (context: ActContext) => Promise<OwnPart>
  /** Stores in the shop what the step keeps there, after the draft is saved. */
  save?: (context: ActContext) => Promise<FieldProblem[]>
  /** The query that leads back to the form's place within the step after the save. */
  place?: (posted: Posted) => Record<string, string>
}

/**
 * `props` are the same for every step: `draft` in them is stored, `form` is what was typed.
 * `posted` is empty for a GET request. A step that throws because the shop does not answer is shown
 * as unread; `reads` is for a step that can show the rest.
 */
export type ShowContext = {
  request: FastifyRequest
  api: Api
  draft: TestDraft
  posted: Posted
  props: DraftEditorProps
  reads: ShopReads
}
export type Shown = {
  stage: JSX.Element
  /** A third column. */
  aside?: JSX.Element
  /** Dialogs. They come after the editor's form, because they have forms of their own. */
  dialogs?: JSX.Element
  /**
   * Snapshot of what the step has stored besides the form's fields, for undo and redo. The step's
   * act `restore` stores it again; it is posted in the field `restore`.
   */
  kept?: unknown
  /** The step has its own button to the next step. */
  ownContinue?: true
}

/** `draft` is the draft as it was just saved. */
export type ActContext = { request: FastifyRequest; api: Api; draft: TestDraft; posted: Posted }
/**
 * What a button of the step does after the form is saved. Returns the step to go to, or a query for
 * this step's page. When it returns nothing, the step is shown as it was.
 */
export type Act = (
  context: ActContext & { reply: FastifyReply },
  argument: string,
) => Promise<DraftStep | Record<string, string> | void>

/** The error that an act throws. The editor shows the message at the field. */
export const refused = (field: string, message: string): HttpProblem =>
  new HttpProblem(400, message, [{ field, message }])

/** The trimmed value of a field that occurs once in a form; '' when it is missing. */
export function postedText(posted: Posted, name: string): string {
  const value = posted[name]
  return typeof value === 'string' ? value.trim() : ''
}
/** All values, except empty ones, of a field that may occur several times in a form. */
export const postedList = (posted: Posted, name: string): string[] =>
  [posted[name] ?? []].flat().filter(Boolean)
