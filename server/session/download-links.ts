import type { FastifyInstance } from 'fastify'
import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { isDownload } from '../../domain/embedding/download-path.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { ownPath } from '../../domain/stores/own-address.ts'
import { neverKept } from '../http/security.ts'
import { apiOf } from './visit.ts'

const isAsk = Compile(Type.Object({ path: Type.String({ maxLength: 1024 }) }))

/**
 * Makes links for a page whose browser does not send the session with a download (decision 076).
 * The gate uses them up.
 */
export function downloadLinks(app: FastifyInstance): void {
  app.post(paths.downloadLink(), async (request, reply) => {
    const path = isAsk.Check(request.body) ? ownPath(request.body.path) : null
    if (path === null || !isDownload(path)) throw new HttpProblem(400, 'This is no file.')
    const { link } = await apiOf(request).makeDownloadLink({ body: { path } })
    return neverKept(reply).send({ link })
  })
}
