import { setTimeout as pause } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { type Agent, FormData, request } from 'undici'
import { HttpProblem } from '../../../../domain/problem.ts'
import type { PlatformPictures } from '../../pictures.ts'
import { accepted, PassingFailure, problem } from '../client/problems.ts'
import { type ShopifyClient, shopifyTimeout } from '../client/shopify-client.ts'
import { createPicture, deletePictures, pictures, stagePicture } from '../documents/pictures.ts'

/** How often, and after how many milliseconds, we look whether Shopify has taken a picture in. */
const looks = 20,
  lookEvery = 250

/**
 * Pictures among the shop's files, which Shopify serves from its own hosts. A file has no hash
 * there, so we write ours into its description.
 */
export function shopifyPictures({ ask }: ShopifyClient, agent: Agent): PlatformPictures {
  const named = async (shop: string, name: string) =>
    (await ask(shop, pictures, { query: `filename:${JSON.stringify(name)}` })).files.nodes.flatMap(
      file => (file.__typename === 'MediaImage' && file.alt?.startsWith(`${name} `) ? [file] : []),
    )

  async function upload(
    { url, parameters }: { url: string; parameters: readonly { name: string; value: string }[] },
    { name, type, body }: { name: string; type: string; body: Buffer },
  ): Promise<void> {
    const form = new FormData()
    for (const parameter of parameters) form.append(parameter.name, parameter.value)
    form.append('file', new Blob([new Uint8Array(body)], { type }), name)
    const { statusCode, body: answer } = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headersTimeout: shopifyTimeout,
      bodyTimeout: shopifyTimeout,
      body: form,
    })
    await answer.dump()
    if (statusCode >= 300) throw new PassingFailure(statusCode)
  }

  return {
    picture: async (shop, name) => {
      const file = (await named(shop, name)).find(one => one.fileStatus === 'READY' && one.image)
      return file?.image ? { url: file.image.url, hash: file.alt!.slice(name.length + 1) } : null
    },
    publishPicture: async (shop, { name, type, body }) => {
      const { stagedUploadsCreate } = await ask(
        shop,
        stagePicture,
        {
          upload: [
            {
              filename: name,
              mimeType: type,
              resource: 'IMAGE',
              httpMethod: 'POST',
              fileSize: String(body.length),
            },
          ],
        },
        { mayRepeat: true },
      )
      const target = accepted(stagedUploadsCreate).stagedTargets?.[0]
      if (!target?.url || !target.resourceUrl) throw problem('nonsense')
      await upload({ url: target.url, parameters: target.parameters }, { name, type, body })
      const { fileCreate } = await ask(shop, createPicture, {
        files: [
          {
            originalSource: target.resourceUrl,
            contentType: 'IMAGE',
            filename: name,
            alt: `${name} ${createHash('sha256').update(body).digest('hex')}`,
            duplicateResolutionMode: 'REPLACE',
          },
        ],
      })
      accepted(fileCreate)
      for (let look = 0; look < looks; look++) {
        const found = await named(shop, name)
        if (found.some(({ fileStatus }) => fileStatus === 'READY')) return
        if (found.some(({ fileStatus }) => fileStatus === 'FAILED'))
          throw new HttpProblem(422, 'Shopify could not read this picture. Try another one.')
        await pause(lookEvery)
      }
      throw new PassingFailure('too late')
    },
    removePicture: async (shop, name) => {
      const found = await named(shop, name)
      if (found.length === 0) return
      const { fileDelete } = await ask(shop, deletePictures, { ids: found.map(({ id }) => id) })
      accepted(fileDelete)
    },
  }
}
