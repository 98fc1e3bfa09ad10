import { HttpProblem } from '../../../domain/problem.ts'
import type { Subscription } from '../../shopify-web/webhook-subscriptions.ts'
import { apiVersion, enumName, topicOf } from '../../shopify-web/webhook-topics.ts'
import { connection } from '../api/connection.ts'
import { gid, idIn } from '../api/gid.ts'
import { counted } from '../api/lists.ts'
import type { ListArgs } from '../catalogue/product-answers.ts'
import type { Answers, FaceParts } from '../face-parts.ts'

type Input = {
  uri?: string | null
  callbackUrl?: string | null
  includeFields?: string[] | null
  filter?: string | null
  format?: string | null
}
type Made = Subscription & { id: number }

/**
 * Webhook subscriptions that calls make. Those of the app's own configuration are not in it, as on
 * the platform.
 */
export function webhookAnswers({ state }: FaceParts) {
  const { subscriptions } = state.web!
  const answerOf = ({ id, topic, uri, includeFields, createdAt, updatedAt }: Made): object => ({
    __typename: 'WebhookSubscription',
    id: gid('WebhookSubscription', id),
    legacyResourceId: String(id),
    topic: enumName(topic),
    uri,
    callbackUrl: uri,
    endpoint: { __typename: 'WebhookHttpEndpoint', callbackUrl: uri },
    format: 'JSON',
    includeFields,
    metafieldNamespaces: [],
    metafields: [],
    filter: null,
    name: null,
    createdAt,
    updatedAt,
    apiVersion: { handle: apiVersion, displayName: apiVersion, supported: true },
  })
  const numberOf = (id: string): number => Number(idIn('WebhookSubscription', id) ?? Number.NaN)
  const one = (id: string): object | null => {
    const found = subscriptions.made().find(each => each.id === numberOf(id))
    return found ? answerOf(found) : null
  }
  const uriOf = ({ uri, callbackUrl, filter, format }: Input): string | null => {
    if (filter) throw new HttpProblem(422, 'This stand-in has no filters of webhooks.')
    if (format === 'XML') throw new HttpProblem(422, 'This stand-in sends JSON only.')
    return uri ?? callbackUrl ?? null
  }
  const tried = (work: () => Made) => {
    try {
      return { webhookSubscription: answerOf(work()), userErrors: [] }
    } catch (error) {
      if (!(error instanceof HttpProblem)) throw error
      const field = ['webhookSubscription', error.fields[0]?.field ?? 'uri']
      return {
        webhookSubscription: null,
        userErrors: [{ field, message: error.message }],
      }
    }
  }
  const answers: Answers = {
    query: {
      webhookSubscription: ({ id }: { id: string }) => one(id),
      webhookSubscriptions: ({
        topics,
        uri,
        ...page
      }: ListArgs & { topics?: string[] | null; uri?: string | null }) =>
        connection(
          subscriptions
            .made()
            .filter(
              each =>
                (topics == null || topics.includes(enumName(each.topic))) &&
                (uri == null || each.uri === uri),
            ),
          page,
          ({ id }) => String(id),
          answerOf,
        ),
      webhookSubscriptionsCount: ({ limit }: { limit?: number | null }) =>
        counted(subscriptions.made().length, limit),
    },
    mutation: {
      webhookSubscriptionCreate: ({
        topic,
        webhookSubscription,
      }: {
        topic: string
        webhookSubscription: Input
      }) =>
        tried(() => {
          const name = topicOf(topic)
          if (name === null)
            throw new HttpProblem(422, 'This stand-in does not send this topic.', [
              { field: 'topic', message: 'Not sent here.' },
            ])
          return subscriptions.create({
            topic: name,
            uri: uriOf(webhookSubscription) ?? '',
            includeFields: webhookSubscription.includeFields ?? [],
          })
        }),
      webhookSubscriptionUpdate: ({
        id,
        webhookSubscription,
      }: {
        id: string
        webhookSubscription: Input
      }) =>
        tried(() => {
          const uri = uriOf(webhookSubscription)
          return subscriptions.update(numberOf(id), {
            ...(uri !== null && { uri }),
            ...(webhookSubscription.includeFields && {
              includeFields: webhookSubscription.includeFields,
            }),
          })
        }),
      webhookSubscriptionDelete: ({ id }: { id: string }) => {
        try {
          subscriptions.remove(numberOf(id))
          return { deletedWebhookSubscriptionId: id, userErrors: [] }
        } catch (error) {
          if (!(error instanceof HttpProblem)) throw error
          return {
            deletedWebhookSubscriptionId: null,
            userErrors: [{ field: ['id'], message: 'Webhook subscription does not exist' }],
          }
        }
      },
    },
  }
  return { answers, nodes: { WebhookSubscription: one } }
}
