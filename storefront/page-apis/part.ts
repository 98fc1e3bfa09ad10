import { passOn, toldApis } from './pass-on.ts'

passOn(toldApis())
