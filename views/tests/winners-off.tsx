import { paths } from '../../domain/paths.ts'
import type { ScriptWinner } from '../../domain/script/script-winner.ts'
import { Icon } from '../icons.tsx'

/** After a reinstall: winners that need our script are off until each is switched on again. */
export const WinnersOff = ({ winners }: { winners: readonly ScriptWinner[] }) => (
  <section class="card" aria-labelledby="winners-off">
    <div class="card-head">
      <h2 id="winners-off">Winners that are switched off</h2>
    </div>
    <div class="card-body stack">
      <p>
        Twinshelf’s script shows these winners, so they ended when Twinshelf was uninstalled. Switch
        on those that your visitors should see again.
      </p>
      <ul class="plain-list stack">
        {winners.map(({ id, title }) => (
          <li key={id} class="row">
            <a href={paths.report(id)}>{title}</a>
            <form method="post" action={paths.testAct(id, 'apply')}>
              <input type="hidden" name="arm" value="variant" />
              <input type="hidden" name="back" value={paths.home()} />
              <button class="secondary small">
                <Icon name="check" />
                Switch on<span class="visually-hidden"> {title}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
    </div>
  </section>
)
