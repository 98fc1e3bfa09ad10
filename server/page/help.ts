import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { h } from 'preact'
import { paths } from '../../domain/paths.ts'
import { Guide, type GuideProps } from '../../views/guide.tsx'
import { barePage } from './page.ts'

/** The merchants' guide. It needs no session. The build makes it from docs/merchants.md. */
export function help(app: FastifyInstance): void {
  const guide = JSON.parse(
    readFileSync(new URL('../../public/built/app/guide.json', import.meta.url), 'utf8'),
  ) as GuideProps
  app.get(paths.help(), (request, reply) =>
    barePage(request, reply, { isText: true, leadsBack: true }, h(Guide, guide)),
  )
}
