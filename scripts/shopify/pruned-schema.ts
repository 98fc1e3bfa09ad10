import {
  type DocumentNode,
  getNamedType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'

/**
 * Fields of input objects that we send. An input object that is not listed is kept whole; the whole
 * of these would bring in half of the API.
 */
const sentFields: Record<string, readonly string[]> = {
  ProductVariantsBulkInput: ['id', 'price'],
  ProductUpdateInput: ['id', 'templateSuffix'],
  CollectionUpdateInput: ['id', 'templateSuffix'],
  PageUpdateInput: ['templateSuffix'],
  BlogUpdateInput: ['templateSuffix'],
  ArticleUpdateInput: ['templateSuffix'],
  DiscountAutomaticAppInput: [
    'title',
    'functionHandle',
    'startsAt',
    'discountClasses',
    'combinesWith',
    'appliesOnSubscription',
    'appliesOnOneTimePurchase',
  ],
  DiscountCombinesWithInput: ['orderDiscounts', 'productDiscounts', 'shippingDiscounts'],
  MetafieldsSetInput: ['ownerId', 'namespace', 'key', 'type', 'value'],
}

/** Long lists of values of which we name none or one: to us they are text. */
const asText = /^CurrencyCode$|Error(s)?Code$/

/**
 * The part of the schema that these documents use, as text, sorted by name: fields, arguments and
 * types. Types and the reader of an upgrade of the API's version need no more.
 */
export function prunedSchema(schema: GraphQLSchema, documents: readonly DocumentNode[]): string {
  const fields = new Map<string, Set<string>>(),
    args = new Map<string, Set<string>>(),
    types = new Set<string>()
  const add = (map: Map<string, Set<string>>, key: string, value: string) =>
    map.set(key, (map.get(key) ?? new Set()).add(value))
  const keepInput = (type: GraphQLNamedType): void => {
    if (types.has(type.name)) return
    types.add(type.name)
    if (!isInputObjectType(type)) return
    for (const field of Object.values(type.getFields()))
      if (sentFields[type.name]?.includes(field.name) ?? true) keepInput(getNamedType(field.type))
  }
  for (const document of documents) {
    const info = new TypeInfo(schema)
    visit(
      document,
      visitWithTypeInfo(info, {
        Field(node) {
          const parent = info.getParentType()!,
            field = info.getFieldDef()
          types.add(parent.name)
          if (node.name.value === '__typename' || !field) return
          add(fields, parent.name, field.name)
          types.add(getNamedType(field.type).name)
        },
        Argument(node) {
          const argument = info.getArgument(),
            field = info.getFieldDef()
          if (!argument || !field) return
          add(args, `${info.getParentType()!.name}.${field.name}`, node.name.value)
          keepInput(getNamedType(argument.type))
        },
        InlineFragment() {
          types.add(info.getType()!.toString())
        },
        VariableDefinition() {
          const type = info.getInputType()
          if (type) keepInput(getNamedType(type))
        },
      }),
    )
  }
  const lines = [...types].sort().flatMap(name => {
    const type = schema.getType(name)!
    if (isScalarType(type)) return isSpecifiedScalarType(type) ? [] : [`scalar ${name}`]
    if (isEnumType(type) && asText.test(name)) return [`scalar ${name}`]
    if (isEnumType(type))
      return [`enum ${name} { ${type.getValues().map(value => value.name).join(' ')} }`] // prettier-ignore
    if (isUnionType(type))
      return [`union ${name} = ${type.getTypes().map(String).filter(one => types.has(one)).join(' | ')}`] // prettier-ignore
    if (isInputObjectType(type))
      return [
        `input ${name} {`,
        ...Object.values(type.getFields())
          .filter(field => sentFields[name]?.includes(field.name) ?? true)
          .map(field => `  ${field.name}: ${field.type}`),
        '}',
      ]
    if (!isObjectType(type) && !isInterfaceType(type)) return []
    // An interface of which we ask no field is as good as a union, and a union needs no field.
    if (isInterfaceType(type) && !fields.has(name))
      return [`union ${name} = ${schema.getPossibleTypes(type).map(String).filter(one => types.has(one)).sort().join(' | ')}`] // prettier-ignore
    const all = type.getFields(),
      kinds = type.getInterfaces().map(String).filter(one => types.has(one) && fields.has(one)) // prettier-ignore
    const used = new Set([
      ...(fields.get(name) ?? []),
      ...kinds.flatMap(kind => [...(fields.get(kind) ?? [])]),
    ])
    return [
      `${isObjectType(type) ? 'type' : 'interface'} ${name}${kinds.length > 0 ? ` implements ${kinds.join(' & ')}` : ''} {`,
      ...[...used].sort().map(field => {
        const given = all[field]!.args.filter(arg =>
          [name, ...kinds].some(owner => args.get(`${owner}.${field}`)?.has(arg.name)),
        )
        const asked = given.map(arg => `${arg.name}: ${arg.type}`).join(', ')
        return `  ${field}${asked && `(${asked})`}: ${all[field]!.type}`
      }),
      '}',
    ]
  })
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const
  const used = roots.flatMap(([kind, type]) => (type && types.has(type.name) ? [`${kind}: ${type.name}`] : [])) // prettier-ignore
  return [`schema { ${used.join(' ')} }`, ...lines, ''].join('\n')
}
