import type { FastifyReply } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { PlatformViews } from './platform-views.ts'

/** Draws a page of the back office, which nobody may frame. */
export type AdminPage = (reply: FastifyReply, name: string, data: object) => FastifyReply

export const adminPage =
  (views: PlatformViews): AdminPage =>
  (reply, name, data) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .send(views.render(name, data))

/** Does what a form asks; what is refused is shown by `again`, with the words of the refusal. */
export async function formDone(
  reply: FastifyReply,
  act: () => void | Promise<void>,
  next: string,
  again: (problem: HttpProblem) => FastifyReply,
): Promise<FastifyReply> {
  try {
    await act()
  } catch (error) {
    if (!(error instanceof HttpProblem) || error.status === 404) throw error
    return again(error)
  }
  return reply.redirect(next, 303)
}
