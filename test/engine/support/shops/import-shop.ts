import { Readable } from 'node:stream'
import type * as Type from 'typebox'
import type { ImportUpload } from '../../../../domain/imports/import.ts'
import { importTest } from '../../../../engine/imports/imports.ts'
import { firstShop as shop } from '../small-shop.ts'
import { startPanel } from '../staff-panel.ts'

type Upload = Type.Static<typeof ImportUpload>

/**
 * Staff and a merchant, and two ways to import a past test: `upload` as the staff page does,
 * `direct` without a size limit.
 */
export async function startImportShop(t: { teardown: (end: () => Promise<void>) => void }) {
  const { own, staff, close } = await startPanel()
  const { engine, db, now, call } = own
  t.teardown(close)
  now.at = new Date('2026-11-20T12:00:00Z')
  const { id: storeId } = await call('storeInfo', {})
  const upload = (csv: string, over: Partial<Upload> = {}) =>
    staff('importTest', {
      body: {
        storeId,
        fileName: 'past.csv',
        csv,
        title: 'Past',
        goal: 'ConversionRate',
        weights: [0.5, 0.5],
        skipBad: false,
        ...over,
      },
    })
  const direct = (csv: Iterable<string>, title: string, over: Partial<Upload> = {}) =>
    importTest(db, Readable.from(csv), {
      shop,
      now: now.at,
      options: { title, goal: 'ConversionRate', weights: [0.5, 0.5], skipBad: false, ...over },
    })
  const report = (id: string) => call('test', { params: { id } })
  return { ...own, engine, staff, storeId, upload, direct, report }
}

/** A small test with each kind of row. */
export const smallImport = `visitor,arm,time,event,value,order,product,quantity,device,referrer,country
anna,control,2026-11-02 10:00:00,view,,,mug,,desktop,https://www.google.com/,us
anna,control,2026-11-02 10:00:00,exposure,,,,,desktop,https://www.google.com/,us
anna,control,2026-11-02 10:05:00,cart,,,mug,,desktop,,
anna,control,2026-11-02 10:10:00,purchase,40.00,1001,mug,2,desktop,,
anna,control,2026-11-02 10:10:00,purchase,12.50,1001,bowl,1,desktop,,
anna,control,2026-11-05 09:00:00,purchase,8,,,,desktop,,
anna,control,2026-11-06 09:00:00,refund,10.00,1001,,,desktop,,
anna,control,2026-11-06 09:30:00,refund,3,,,,desktop,,
bea,control,2026-11-03 11:00:00,view,,,,,phone,,
bea,control,2026-11-03 11:10:00,click,,,,,phone,,
cid,variant,2026-11-03 12:00:00,purchase,99.99,,,,tablet,,
dora,variant,2026-11-03 12:00:00,purchase,5.00,,,,tablet,,
dora,variant,2026-11-03 13:00:00,exposure,,,,,tablet,,
eve,control,2026-11-04 08:00:00,exposure,,,,,phone,,
eve,variant,2026-11-04 09:00:00,view,,,,,phone,,
eve,variant,2026-11-04 10:00:00,purchase,70,,,,phone,,
`
