/** @jsxImportSource react */
import { can } from '../../domain/access.ts'
import { planLevels, planTiers } from '../../domain/plans/plan-level.ts'
import type { ShownOffer } from '../../domain/plans/plan-offer.ts'
import {
  kindCapability,
  kindWords,
  testKindNames,
  type TestKind,
} from '../../domain/tests/test-kind.ts'
import { Icon } from '../icon.tsx'
import { PlanPrice } from './plan-card.tsx'

export const compareId = 'plan-compare'

type PlanCompareProps = {
  offers: ShownOffer[]
  /** The address of the page without the dialog. */
  closed: string
  isOpen: boolean
}
/**
 * A dialog that compares all levels: every kind of test and every feature, with the prices for the
 * size and billing period on screen.
 */
export const PlanCompare = ({ offers, closed, isOpen }: PlanCompareProps) => (
  <dialog id={compareId} aria-labelledby="plan-compare-title" open={isOpen}>
    <div className="modal modal-wide">
      <h2 id="plan-compare-title">Compare plans</h2>
      <div className="table-scroll">
        <table className="table plan-table plan-compare">
          <thead>
            <tr>
              <th scope="col">Feature</th>
              {planTiers.map(({ name, level }) => {
                const offer = offers.find(({ plan }) => plan.level === level)
                return (
                  <th key={name} scope="col">
                    <b>{name}</b>
                    {offer && (
                      <span className="cell-sub">
                        <PlanPrice offer={offer} />
                      </span>
                    )}
                  </th>
                )
              })}
            </tr>
          </thead>
          <tbody>
            {testKindNames
              .filter(kind => !inTier.has(kind))
              .map(kind => (
                <tr key={kind}>
                  <th scope="row">{kindLabel(kind)}</th>
                  {planTiers.map(({ level }) => (
                    <td key={level}>
                      <KindAt kind={kind} level={level} />
                    </td>
                  ))}
                </tr>
              ))}
            {planTiers.flatMap(({ level: from, features }) =>
              features.map(feature => (
                <tr key={feature}>
                  <th scope="row">{feature}</th>
                  {planTiers.map(({ level }) => (
                    <td key={level}>
                      {feature === priceTesting && level >= from ? (
                        <PerStore />
                      ) : (
                        <Included is={level >= from} />
                      )}
                    </td>
                  ))}
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
      <p className="note">
        Price tests and page element tests are enabled for each store by our support, on any plan.
      </p>
      <footer>
        <a className="button secondary" href={closed} data-close>
          Close
        </a>
      </footer>
    </div>
  </dialog>
)

const kindLabel = (kind: TestKind): string => {
  const words = kindWords(kind)
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} tests`
}
/** Kinds that a feature in `planTiers` names already. */
const inTier = new Set<TestKind>(['Theme', 'Template', 'Price'])
const priceTesting = 'Price testing (beta)'

const PerStore = () => <span className="muted">Enabled per store</span>

function KindAt({ kind, level }: { kind: TestKind; level: number }) {
  const capability = kindCapability[kind]
  if (!capability || can(capability, { plan: { level }, features: [] })) return <Included is />
  return Object.values(planLevels).some(from =>
    can(capability, { plan: { level: from }, features: [] }),
  ) ? (
    <Included is={false} />
  ) : (
    <PerStore />
  )
}

const Included = ({ is }: { is: boolean }) =>
  is ? (
    <span className="tone" data-tone="good">
      <Icon name="check" />
      <span className="visually-hidden">Included</span>
    </span>
  ) : (
    <span className="muted">
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">Not included</span>
    </span>
  )
