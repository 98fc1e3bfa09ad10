import { setTimeout } from 'node:timers/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Selectable, sql } from 'kysely'
import * as Type from 'typebox'
import { keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { previewParameter } from '../../domain/script/script-config.ts'
import type { AuthTokens, Preview } from '../session/auth-tokens.ts'
import type { EngineContext } from '../context.ts'
import type { Db } from '../db/connection.ts'
import type { DraftsTable, TestsTable } from '../db/schema.ts'
import { scriptPrices } from '../prices/price-rules.ts'
import {
  type PackedScript,
  previewRuntime,
  readRuntime,
  scriptBody,
  scriptTest,
  testedPages,
} from './script-body.ts'
import { collectTokens } from '../events/collect-tokens.ts'
import { keyRing, keysFor } from '../session/key-ring.ts'
import { limitable } from '../http/limits.ts'
import { scriptAddresses } from './script-publisher.ts'
import { type ShopHosts, shopPath } from '../drafts/redirect-urls.ts'

const columns = [
  'kind',
  'title',
  'control_title',
  'variant_title',
  'weights',
  'control_url',
  'redirect_url',
  'dom_selectors',
  'control_target',
  'variant_target',
  'resource_ids',
  'api_mode',
  'control_hypothesis_id',
  'variant_hypothesis_id',
] as const
const cacheControl = 'public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800'

/**
 * The script's public routes: each shop's script, for platforms that cannot host it, and previews
 * of one arm.
 */
export const scripts: FastifyPluginAsyncTypebox<{
  context: EngineContext
  tokens: AuthTokens
  runtimeFile?: URL | undefined
}> = async (app, { context, tokens, runtimeFile }) => {
  const { db, config } = context
  const published = publishedScripts(db)
  await limitable(app, context.limits)
  const limited = { config: { rateLimit: { max: config.COLLECT_PER_ADDRESS } } }
  app.addHook('onRequest', async (_, reply) => {
    reply.header('cross-origin-resource-policy', 'cross-origin')
  })

  app.get(
    '/s/preview.js',
    {
      ...limited,
      schema: {
        querystring: Type.Object(
          { shop: Type.String({ maxLength: 255 }), token: Type.String({ maxLength: 2048 }) },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      // Any page may read it, because modules need that. Everyone who has the token may see what it
      // shows.
      reply
        .headers({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
        .type('text/javascript; charset=utf-8')
      const preview = await tokens.readPreview(request.query.token)
      const found = preview && (await previewed(preview.storeId, preview.of, preview.id))
      // The token of another store would bring that store's changes to this shop's pages.
      if (!preview || !found || found.hosts.shop !== request.query.shop) {
        reply.type('application/json; charset=utf-8')
        throw new HttpProblem(403, 'This preview link is not valid, or has expired.')
      }
      const {
        content,
        hosts: { shop },
      } = found
      const prices =
        content.kind === 'Price'
          ? await scriptPrices(
              db.kysely,
              found.isDraft
                ? { storeId: preview.storeId, draftId: found.id }
                : { storeId: preview.storeId, testId: found.id },
            )
          : undefined
      const test = scriptTest(preview.id, { ...content, pages: testedPages(content) }, { prices })
      const runtime = await readRuntime(runtimeFile ?? previewRuntime)
      return scriptBody(runtime.sources, {
        ...scriptAddresses(
          config.PUBLIC_ORIGIN,
          shop,
          collectTokens(keysFor(keyRing(config), 'collecting')),
        ),
        tests: [test],
        previewing: {
          arm: preview.arm,
          title: content.title,
          armTitles: [content.control_title, content.variant_title],
          otherUrl: await otherUrl(preview, content),
          ...(found.isDraft && { editor: config.APP_ORIGIN }),
        },
      })
    },
  )

  app.get(
    '/s/:file',
    { ...limited, schema: { params: Type.Object({ file: Type.String({ maxLength: 255 }) }) } },
    async (request, reply) => {
      const { file } = request.params
      const script = /^[\w.-]+\.js$/.test(file) ? await published(file.slice(0, -3)) : null
      if (!script) throw new HttpProblem(404, 'There is no script for this shop.')
      // A weak ETag: the script is the same in every compression.
      const etag = `W/"${script.etag}"`
      reply.headers({ etag, 'cache-control': cacheControl, vary: 'accept-encoding' })
      if (request.headers['if-none-match']?.split(',').some(tag => tag.trim() === etag))
        return reply.code(304).send()
      reply.type('text/javascript; charset=utf-8')
      const accepted = String(request.headers['accept-encoding'] ?? '')
      if (/\bbr\b/.test(accepted)) return reply.header('content-encoding', 'br').send(script.brotli)
      if (/\bgzip\b/.test(accepted))
        return reply.header('content-encoding', 'gzip').send(script.gzip)
      return reply.send(script.body)
    },
  )

  type Content = Pick<Selectable<DraftsTable> & Selectable<TestsTable>, (typeof columns)[number]>
  async function previewed(
    storeId: string,
    of: 'draft' | 'test',
    id: string,
  ): Promise<{ hosts: ShopHosts; content: Content; id: string; isDraft: boolean } | null> {
    const hosts = await db.kysely
      .selectFrom('stores')
      .select(['shop', 'domain', 'origin'])
      .where('store_id', '=', storeId)
      .executeTakeFirst()
    // Neither may lead to another site: a draft is stored unchecked, and an older test was checked
    // by older rules.
    const checked = (content: Content): Content => ({
      ...content,
      control_url: shopPath(content.control_url, hosts!) ?? '',
      redirect_url: shopPath(content.redirect_url, hosts!) ?? '',
    })
    // A link to a draft continues working when the draft has become a test.
    const draft =
      of === 'draft'
        ? await db.kysely
            .selectFrom('drafts')
            .select(columns)
            .where('store_id', '=', storeId)
            .where('draft_id', '=', id)
            .executeTakeFirst()
        : undefined
    if (hosts && draft) return { hosts, content: checked(draft), id, isDraft: true }
    const test = await db.kysely
      .selectFrom('tests')
      .select([...columns, 'test_id'])
      .where('store_id', '=', storeId)
      .where(of === 'draft' ? 'draft_id' : 'test_id', '=', id)
      .executeTakeFirst()
    return hosts && test
      ? { hosts, content: checked(test), id: test.test_id, isDraft: false }
      : null
  }

  /**
   * The address of the other arm's preview, on the current page. A redirect test begins at
   * control's page for both arms.
   */
  async function otherUrl(preview: Preview, { kind, control_url }: Content): Promise<string> {
    const token = await tokens.preview({ ...preview, arm: preview.arm === 0 ? 1 : 0 })
    const page = kind === 'UrlRedirect' ? control_url.replace(/#.*/, '') : ''
    return `${page}${page.includes('?') ? '&' : '?'}${previewParameter}=${token}`
  }
}

/**
 * `maxKept`: total size of the scripts kept in memory (bytes). `timeout`: how long the database may
 * take before the kept script is sent (milliseconds).
 */
const maxKept = 64 * 1024 * 1024,
  timeout = 1_000

/**
 * Returns a function that reads a shop's script from the database; null if it has none. While the
 * database does not answer, the function returns the script that it read last. Otherwise the shop
 * would not show its tests, and a price test would not show the prices that the checkout charges.
 */
export function publishedScripts({
  kysely,
}: Pick<Db, 'kysely'>): (shop: string) => Promise<PackedScript | null> {
  const lastRead = keptWithin<PackedScript>(maxKept),
    readings = new Map<string, Promise<PackedScript | null>>()
  const ofShop = (shop: string) =>
    kysely
      .selectFrom('published_scripts as p')
      .innerJoin('stores as s', 's.store_id', 'p.store_id')
      .where('s.shop', '=', shop)
  /** Reads the ETag first, so that the script itself is read once and not for every request. */
  async function read(shop: string): Promise<PackedScript | null> {
    const current = await ofShop(shop)
      .select(['p.etag', sql<boolean>`p.body is not null`.as('isThere')])
      .executeTakeFirst()
    const kept = lastRead.get(shop)
    if (current?.isThere && kept && kept.etag === current.etag) return kept
    const key = `${shop} ${current?.etag}`,
      known = readings.get(key)
    if (known) return known
    const reading = readWhole(shop).finally(() => readings.delete(key))
    readings.set(key, reading)
    return reading
  }
  async function readWhole(shop: string): Promise<PackedScript | null> {
    const row = await ofShop(shop)
      .select(['p.body', 'p.gzip', 'p.brotli', 'p.etag'])
      .executeTakeFirst()
    if (!row?.body || !row.gzip || !row.brotli || !row.etag) {
      lastRead.delete(shop)
      return null
    }
    const script: PackedScript = {
      body: Buffer.from(row.body),
      gzip: Buffer.from(row.gzip),
      brotli: Buffer.from(row.brotli),
      etag: row.etag,
    }
    lastRead.set(shop, script, script.body.length + script.gzip.length + script.brotli.length)
    return script
  }
  return async shop => {
    const asked = read(shop),
      kept = lastRead.get(shop)
    if (!kept) return asked
    return Promise.race([asked.catch(() => kept), setTimeout(timeout, kept, { ref: false })])
  }
}
