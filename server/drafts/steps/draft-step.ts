import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JSX } from 'preact'
import type { Api } from '../../../domain/api/api-client.ts'
import type { TestDraft } from '../../../domain/drafts/draft.ts'
import type { DraftStep } from '../../../domain/drafts/draft-steps.ts'
import type { Posted } from '../../../domain/posted.ts'
import { HttpProblem, type FieldProblem } from '../../../domain/problem.ts'
import type { OwnPart } from '../draft-save.ts'
import type { DraftEditorProps } from '../../../views/drafts/draft-editor.tsx'

/** One step of the editor, on the server; domain/drafts/draft-steps.ts says how steps are added. */
export type StepModule = {
  show: (context: ShowContext) => Promise<Shown> | Shown
  acts?: Record<string, Act>
  /** What the step adds to the save of a draft; `draft` is the stored one. Nothing is stored here. */
  part?: (context: ActContext) => Promise<OwnPart>
  /** Stores in the shop what the step has there, once the draft is saved. */
  save?: (context: ActContext) => Promise<FieldProblem[]>
  /** Where within the step the form was, for the page after it is saved: a query. */
  place?: (posted: Posted) => Record<string, string>
}

/** `props` are those of every step; the draft in them is the stored one, `form` what is typed. `posted` is empty on a page that was asked for. */
export type ShowContext = {
  request: FastifyRequest
  api: Api
  draft: TestDraft
  posted: Posted
  props: DraftEditorProps
}
export type Shown = {
  stage: JSX.Element
  /** A third column. */
  aside?: JSX.Element
  /** Dialogs: they stand after the editor's form and have forms of their own. */
  dialogs?: JSX.Element
  /** What the step has stored besides the form's fields. Posted again as `restore` with its act `restore`, it is stored again: undo and redo. */
  kept?: unknown
  /** The step has a button of its own that leads on. */
  ownContinue?: true
}

/** The draft as it has just been saved. */
export type ActContext = { request: FastifyRequest; api: Api; draft: TestDraft; posted: Posted }
/** What a button of the step does once the form is saved. Answers the step to go to, or a query for the step's own page, where that is not the step as it was. */
export type Act = (
  context: ActContext & { reply: FastifyReply },
  argument: string,
) => Promise<DraftStep | Record<string, string> | void>

/** What an act throws: it is said at the field. */
export const refused = (field: string, message: string): HttpProblem =>
  new HttpProblem(400, message, [{ field, message }])

/** A posted field that stands in a form once. */
export function postedText(posted: Posted, name: string): string {
  const value = posted[name]
  return typeof value === 'string' ? value.trim() : ''
}
/** All values of a field that may stand in a form several times. */
export const postedList = (posted: Posted, name: string): string[] =>
  [posted[name] ?? []].flat().filter(Boolean)
