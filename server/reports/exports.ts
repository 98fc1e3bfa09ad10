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

/** A test's figures as files, passed on as the API makes them: nothing is kept here, and who goes away stops the making. */
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
  // The API names its files in plain letters.
  return reply
    .header('content-disposition', `attachment; filename="${file.name ?? `${call}.csv`}"`)
    .header('cache-control', 'private, no-store')
    .type(file.type)
    .send(file.body)
}
