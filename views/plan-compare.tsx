import { planTiers } from '../domain/plan-tier.ts'
import { Icon } from './icons.tsx'

/** Every feature against every level, in a dialog that a button opens. */
export const PlanCompare = () => (
  <dialog id="plan-compare" aria-labelledby="plan-compare-title">
    <div class="modal modal-wide">
      <h2 id="plan-compare-title">Compare plans</h2>
      <div class="table-scroll">
        <table class="table plan-table">
          <thead><tr><th scope="col">Feature</th>{planTiers.map(({ name }) => <th key={name} scope="col">{name}</th>)}</tr></thead>
          <tbody>
            {planTiers.flatMap(({ level: from, features }) => features.map(feature => (
              <tr key={feature}>
                <th scope="row">{feature}</th>
                {planTiers.map(({ level }) => <td key={level}><Included is={level >= from} /></td>)}
              </tr>
            )))}
          </tbody>
        </table>
      </div>
      <footer><button class="secondary" type="button" command="close" commandfor="plan-compare">Close</button></footer>
    </div>
  </dialog>
)

const Included = ({ is }: { is: boolean }) => (is
  ? <span class="tone" data-tone="good"><Icon name="check" /><span class="visually-hidden">Included</span></span>
  : <span class="muted"><span aria-hidden="true">–</span><span class="visually-hidden">Not included</span></span>)
