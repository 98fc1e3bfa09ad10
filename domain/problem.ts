import * as Type from 'typebox'

/**
 * The body of every error of the API (requirements 8.22). `fields` names the wrong inputs, if any.
 */
export const Problem = Type.Object({
  message: Type.String(),
  error: Type.Optional(Type.Number()),
  uuid: Type.Optional(Type.String()),
  fields: Type.Optional(Type.Array(Type.Object({ field: Type.String(), message: Type.String() }))),
})
export type Problem = Type.Static<typeof Problem>
export type FieldProblem = { field: string; message: string }

/** Handlers throw it. The answer is a Problem with this status. */
export class HttpProblem extends Error {
  readonly status: number
  readonly fields: FieldProblem[]
  constructor(status: number, message: string, fields: FieldProblem[] = []) {
    super(message)
    this.status = status
    this.fields = fields
  }
}
