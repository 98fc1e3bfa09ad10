import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { Posted } from '../../domain/posted.ts'
import { isFinished, type Job } from '../../domain/jobs/job.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import { shopName } from '../../domain/startup.ts'
import { type LastUninstall, parseUninstall } from '../../domain/stores/store-uninstall.ts'
import { Uninstall } from '../../views/stores/uninstall.tsx'
import { Uninstalling } from '../../views/stores/uninstall-after.tsx'
import { page, seeOther } from '../page/page.ts'
import { carriedTo, queryOf } from '../http/query.ts'
import type { Relay } from '../live/relay.ts'
import { neverKept } from '../http/security.ts'
import { apiOf, storeOf } from '../session/visit.ts'

/**
 * The pages of an uninstall: the form with the reason, the progress of the job, and where it leads
 * at the end.
 */
export function uninstall(
  app: FastifyInstance,
  { relay, clock }: { relay: Pick<Relay, 'track'>; clock: () => Date },
): void {
  app.get(paths.settings('uninstall'), async (request, reply) => {
    const last = await lastOf(request)
    const job = await jobOf(apiOf(request), last?.jobId)
    return job && !isFinished(job.status)
      ? seeOther(request, reply, paths.uninstalling(job.id))
      : form(request, reply, last)
  })

  app.post<{ Body: Posted }>(paths.settings('uninstall'), async (request, reply) => {
    // Without script the first button asks the server for the page with the dialog open.
    if (isAsked(request)) return form(request, reply, await lastOf(request))
    const { value, problems } = parseUninstall(request.body)
    const again = async (refused: FieldProblem[]) =>
      form(request, reply.code(422), await lastOf(request), refused)
    if (!value) return again(problems)
    const { id, shop } = storeOf(request)
    try {
      const { jobId } = await apiOf(request).uninstall({ params: { id }, body: value })
      const now = clock().toISOString()
      relay.track(id, {
        id: jobId,
        kind: 'uninstall',
        status: 'queued',
        message: null,
        progress: 0,
        createdAt: now,
        updatedAt: now,
      })
      return seeOther(request, reply, paths.uninstalling(jobId))
    } catch (error) {
      if (error instanceof HttpProblem && error.fields.length > 0) return again(error.fields)
      // The app is already uninstalled, from another window or in the shop's admin.
      if (error instanceof HttpProblem && error.status === 409)
        return seeOther(request, reply, paths.uninstalled(shopName(shop)))
      throw error
    }
  })

  app.get('/uninstalling', async (request, reply) => {
    const store = storeOf(request),
      api = apiOf(request)
    const last = await lastOf(request)
    const job = (await jobOf(api, queryOf(request).get('job'))) ?? (await jobOf(api, last?.jobId))
    if (!job) return seeOther(request, reply, paths.settings('uninstall'))
    if (job.status === 'completed') {
      // Ask the API again, because the cached store may be older than the uninstall. The app may
      // also be installed again by now.
      const { status } = await api.storeInfo({})
      return seeOther(
        request,
        reply,
        status === 'uninstalled'
          ? paths.uninstalled(shopName(store.shop))
          : paths.settings('uninstall'),
      )
    }
    const carry = (path: string) => carriedTo(request, path)
    return page(
      request,
      reply,
      {},
      h(Uninstalling, {
        store,
        isOver: job.status === 'errored',
        job: shown(job),
        progress: carry(paths.uninstallProgress(job.id)),
        done: carry(paths.uninstalled(shopName(store.shop))),
        again: {
          action: carry(paths.settings('uninstall')),
          fields: last?.category ? { category: last.category, reason: last.reason ?? '' } : {},
        },
      }),
    )
  })

  app.get('/uninstalling/progress', async (request, reply) => {
    const job = await jobOf(apiOf(request), queryOf(request).get('job'))
    return job
      ? neverKept(reply).send(shown(job))
      : neverKept(reply).code(404).send({ message: 'There is no such job.' })
  })
}

/** Sends the form, filled in with what was posted. */
async function form(
  request: FastifyRequest,
  reply: FastifyReply,
  last: LastUninstall | null,
  problems: FieldProblem[] = [],
): Promise<FastifyReply> {
  const { counts, scriptWinners } = await apiOf(request).tests({ query: { perPage: 1 } })
  const posted = (request.body ?? {}) as Posted
  const { Ended: _, Draft: __, ...unfinished } = counts
  return page(
    request,
    reply,
    {},
    h(Uninstall, {
      store: storeOf(request),
      last,
      problems,
      winners: scriptWinners.filter(({ isOn }) => isOn),
      unfinished: Object.values(unfinished).reduce((sum, count) => sum + count, 0),
      isAsked: isAsked(request),
      typed: { category: String(posted['category'] ?? ''), reason: String(posted['reason'] ?? '') },
    }),
  )
}

const isAsked = (request: FastifyRequest): boolean => queryOf(request).get('ask') === 'uninstall'

const lastOf = (request: FastifyRequest): Promise<LastUninstall | null> =>
  apiOf(request).lastUninstall({ params: { id: storeOf(request).id } })

/**
 * The uninstall job with this id. Null without an id, for an unknown id and for a job of another
 * kind.
 */
async function jobOf(api: Api, id: string | null | undefined): Promise<Job | null> {
  if (!id) return null
  try {
    const job = await api.storeJob({ params: { id } })
    return job.kind === 'uninstall' ? job : null
  } catch (error) {
    if (error instanceof HttpProblem && (error.status === 404 || error.status === 400)) return null
    throw error
  }
}

const shown = ({ id, status, message, progress }: Job) => ({ id, status, message, progress })
