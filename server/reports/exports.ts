import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { FileCallName } from '../../domain/api/contract.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { downloadOf } from '../session/visit.ts'

type Exported = Parameters<typeof paths.testExport>[1]
const calls = {
  results: 'exportTest',
  orders: 'exportOrders',
  all: 'exportZip',
} as const satisfies Record<Exported, FileCallName>

/**
 * A test's figures as files, streamed from the API. Nothing is kept here. When the browser
 * disconnects, the API stops making the file.
 */
export function exports(app: FastifyInstance): void {
  for (const what of Object.keys(calls) as Exported[])
    app.get<{ Params: { id: string } }>(paths.testExport(':id', what), (request, reply) =>
      send(request, reply, request.params.id, calls[what]),
    )
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  id: string,
  call: (typeof calls)[Exported],
): Promise<FastifyReply> {
  const file = await downloadOf(request)(call, { params: { id } })
  if (!file) throw new HttpProblem(404, 'There is no such test.')
  // The API's file names need no escaping.
  return reply
    .header('content-disposition', `attachment; filename="${file.name ?? `${call}.csv`}"`)
    .header('cache-control', 'private, no-store')
    .type(file.type)
    .send(file.body)
}
