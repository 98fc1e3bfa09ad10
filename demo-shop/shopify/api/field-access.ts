import { type GraphQLFieldResolver, GraphQLError, type GraphQLResolveInfo } from 'graphql'
import type { AdminSchema } from '../schema/admin-schema.ts'

/** What a request may do: the scopes of its token, and what the platform has granted the app. */
export type Access = {
  has: (scope: string) => boolean
  /** Whether the platform has approved the app for customers' data. */
  isApprovedForCustomers: boolean
}
/** `origin`: where the request came to. */
export type ApiContext = { access: Access; origin: string }

/** Fields that need a second scope beside the one that the published file names. */
const alsoNeeded: Record<string, string> = {
  'Mutation.webPixelCreate': 'read_customer_events',
  'Mutation.webPixelUpdate': 'read_customer_events',
}
/** Fields with protected customer data. */
const protectedFields =
  /^(Order|Customer|QueryRoot)\.(customer|customers|email|phone|displayAddress|shippingAddress|billingAddress)$/

/**
 * Resolves every field: refuses those that the token's scopes lack, and those that this stand-in
 * has no answer for. An answer that is missing would look like a null of the platform.
 */
export const fieldResolver =
  ({ neededBy, schema }: AdminSchema): GraphQLFieldResolver<unknown, ApiContext> =>
  (source, args: object, context, info) => {
    const { fieldName, parentType } = info
    const name = `${parentType.name}.${fieldName}`
    requireScope()
    requireSize(args)
    if (protectedFields.test(name) && !context.access.isApprovedForCustomers)
      throw denied(
        `This app is not approved to access the ${parentType.name === 'QueryRoot' ? 'Customer' : parentType.name} object. See the requirements for protected customer data.`,
        info,
      )
    const object = source as Record<string, unknown>
    const value = object[fieldName]
    if (value === undefined)
      throw new GraphQLError(`This stand-in has no answer for ${name}.`, {
        extensions: { code: 'NOT_IMPLEMENTED' },
      })
    return typeof value === 'function'
      ? (value as (args: object, context: ApiContext, info: GraphQLResolveInfo) => unknown).call(
          object,
          args,
          context,
          info,
        )
      : value

    function requireScope(): void {
      const field =
        schema.getType(parentType.name) === parentType && parentType.getFields()[fieldName]
      const needed = field && neededBy(parentType.name, field)
      const also = alsoNeeded[name]
      if (
        (needed && !needed.scopes.some(context.access.has)) ||
        (also !== undefined && !context.access.has(also))
      )
        throw denied(
          `Access denied for ${fieldName} field. Required access: ${needed ? needed.words : `\`${also}\` access scope.`}`,
          info,
          needed ? needed.words : `\`${also}\` access scope.`,
        )
    }
  }

/** The most things of a list that a call may give. */
const maxInput = 250

function requireSize(value: unknown): void {
  if (Array.isArray(value) && value.length > maxInput)
    throw new GraphQLError(
      `The input array size of ${value.length} is greater than the maximum allowed of ${maxInput}.`,
      { extensions: { code: 'MAX_INPUT_SIZE_EXCEEDED' } },
    )
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(requireSize)
}

const denied = (message: string, { fieldNodes }: GraphQLResolveInfo, requiredAccess?: string) =>
  new GraphQLError(message, {
    nodes: fieldNodes,
    extensions: {
      code: 'ACCESS_DENIED',
      documentation: 'https://shopify.dev/api/usage/access-scopes',
      ...(requiredAccess !== undefined && { requiredAccess }),
    },
  })
