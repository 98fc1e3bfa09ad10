import { createHmac, randomUUID } from 'node:crypto'
import type { Engine } from '../../../engine/app.ts'
import { appSecret } from './small-shop.ts'

/**
 * Sends page views at one instant as signed replays, like the demo shop's simulated shoppers. Each
 * name in `views` is one visitor. Throws when the collector refuses one.
 */
export async function seedEvents(
  engine: Engine,
  shop: string,
  at: Date,
  views: [visitor: string, path: string][],
): Promise<void> {
  const visitors = new Map(views.map(([name]) => [name, randomUUID()]))
  for (const [name, path] of views) {
    const body = JSON.stringify({
      v: 1,
      shop,
      visitor: visitors.get(name),
      session: randomUUID(),
      isNew: true,
      landing: path,
      referrer: '',
      sent: at.getTime(),
      tests: {},
      events: [{ id: randomUUID(), at: at.getTime(), kind: 'view', path }],
    })
    const { statusCode } = await engine.app.inject({
      method: 'POST',
      url: '/collect',
      payload: body,
      headers: {
        'content-type': 'text/plain',
        'x-twinshelf-replay': createHmac('sha256', appSecret).update(body).digest('hex'),
        'user-agent':
          'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140 Safari/537.36',
      },
    })
    if (statusCode !== 204) throw new Error(`The collector answered ${statusCode}.`)
  }
}
