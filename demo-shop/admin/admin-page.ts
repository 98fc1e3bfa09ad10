import type { FastifyReply } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { PlatformViews } from './platform-views.ts'

/** Draws a page of the back office, which no site may show in a frame. */
export type AdminPage = (reply: FastifyReply, name: string, data: object) => FastifyReply

export const adminPage =
  (views: PlatformViews): AdminPage =>
  (reply, name, data) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "frame-ancestors 'none'")
      .header('cache-control', 'no-store')
      .send(views.render(name, data))

/**
 * Does what a form asks and redirects to `next`. When that is refused, `again` shows the form with
 * the problem; a 404 is thrown.
 */
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
