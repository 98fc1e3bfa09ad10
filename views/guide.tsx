export type GuideProps = { parts: { id: string; title: string }[]; html: string }

/**
 * The merchants' guide, with a list of its parts first. Its HTML is our own and is made by the
 * build.
 */
export const Guide = ({ parts, html }: GuideProps) => (
  <div class="guide">
    <nav class="guide-parts" aria-label="Parts of the guide">
      <ul class="nav-list">
        {parts.map(({ id, title }) => (
          <li key={id}>
            <a href={`#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
    <article class="card prose">
      <h1>Guide for merchants</h1>
      <div class="prose-text" dangerouslySetInnerHTML={{ __html: html }} />
    </article>
  </div>
)
