import t from 'tap'
import type { CallName } from '../../../domain/api/contract.ts'
import { productCalls } from '../../../domain/calls/products.ts'
import { fuzz } from './run.ts'

await fuzz(t, Object.keys({ ...productCalls }) as CallName[])
