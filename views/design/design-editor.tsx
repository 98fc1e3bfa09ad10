import { specimens } from '../../islands/design/specimens.tsx'
import { emptyCondition, audienceForm } from '../../domain/audiences/audience-form.ts'
import type { ContentSection, ContentSetting } from '../../domain/themes/template-content.ts'
import { ChoicePicture, type ChoicesShown } from '../drafts/choice-picture.tsx'
import type { DesignGroup } from './design.tsx'
import { AudienceDialogForm } from '../drafts/draft-audience.tsx'
import { OfferLists } from '../drafts/draft-content-field.tsx'
import { ContentSettings } from '../drafts/steps/draft-step-content-settings.tsx'

const Drawn = ({ html }: { html: string }) => <div dangerouslySetInnerHTML={{ __html: html }} />

const setting = (
  over: Partial<ContentSetting> & Pick<ContentSetting, 'id' | 'label' | 'kind' | 'value'>,
): ContentSetting => ({ control: over.value, isChanged: false, choices: [], ...over })
const section: ContentSection = {
  id: 'story',
  type: 'story',
  name: 'Picture with words',
  isShown: true,
  isShownInControl: true,
  blocks: [],
  areBlocksMoved: false,
  settings: [
    setting({
      id: 'title',
      label: 'Heading',
      kind: 'text',
      value: 'Seven people and a kiln',
      control: 'Ash does as it likes',
      isChanged: true,
    }),
    setting({ id: 'url', label: 'Link', kind: 'link', value: '/collections/all' }),
    setting({ id: 'ground', label: 'Background', kind: 'colour', value: '#f4ead8' }),
    setting({ id: 'picture', label: 'Picture', kind: 'picture', value: '' }),
  ],
}
const offers = {
  pages: [{ url: '/collections/all', title: 'Shop all' }],
  pictures: [],
  origin: 'https://fern-and-kiln.example',
  brand: [],
  uploads: '/',
}

/**
 * A drawing instead of the shop's picture, because the design system's page makes no request to a
 * shop.
 */
const drawing = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400"><rect width="640" height="400" fill="#f4ead8"/><rect width="640" height="48" fill="#0b3d4f"/><rect x="40" y="96" width="240" height="240" fill="#c9b79c"/><rect x="320" y="110" width="240" height="24" fill="#7a4a2b"/><rect x="320" y="160" width="180" height="14" fill="#a08f77"/></svg>')}`
const told = (over: Partial<ReturnType<ChoicesShown['of']>>): ChoicesShown => ({
  to: '/',
  of: of => ({ of, src: null, problem: null, isDrawing: false, isNeeded: false, ...over }),
})
const Card = ({
  name,
  pictures,
  isChosen,
}: {
  name: string
  pictures: ChoicesShown
  isChosen?: true
}) => (
  <div class="choice-card" aria-current={isChosen}>
    <ChoicePicture
      choice={{ kind: 'theme', id: name }}
      version=""
      label={name}
      pictures={pictures}
    />
    <span class="pick-words">
      <b>{name}</b>
      <small>Changed 3 Nov 2026</small>
    </span>
    <div class="row">
      {isChosen ? (
        <span class="badge" data-tone="good">
          Variant
        </span>
      ) : (
        <button class="secondary small" aria-label={`Test this theme: ${name}`}>
          Test this theme
        </button>
      )}
    </div>
  </div>
)

const conditions = audienceForm({
  name: 'Visitors from Germany',
  values: { 7: { operator: 'Equals', value: 'DE' } },
})
const dialog = {
  draftId: 'example',
  audience: null,
  problems: [],
  refusal: null,
  usedBy: null,
  added: null,
}

export const editingGroups: DesignGroup[] = [
  {
    id: 'choices',
    title: 'Pictures of choices',
    note: '.choice-card, <ChoicePicture>: the place has its size before the picture is there. All of the card is its button.',
    specimens: [
      {
        caption: 'With its picture, chosen',
        view: <Card name="Harbour" pictures={told({ src: drawing })} isChosen />,
      },
      {
        caption: 'Not drawn yet',
        view: <Card name="Kiln 3" pictures={told({ isNeeded: true })} />,
      },
      {
        caption: 'No picture can be made',
        view: <Card name="Spring" pictures={told({ problem: 'The shop asks for a password.' })} />,
      },
    ],
  },
  {
    id: 'audience',
    title: 'Audience',
    note: 'Conditions are added one by one, each with the control that fits.',
    isWide: true,
    specimens: [
      {
        caption: 'Empty',
        view: <AudienceDialogForm {...dialog} form={{ name: '', rows: {} }} reach={null} />,
      },
      {
        caption: 'With conditions, one at fault',
        view: (
          <AudienceDialogForm
            {...dialog}
            form={{
              ...conditions,
              rows: { ...conditions.rows, 1: emptyCondition },
            }}
            problems={[{ field: 'values.1.value', message: 'Write what it is compared with.' }]}
            reach="About 12% of visitors are in this audience."
          />
        ),
      },
    ],
  },
  {
    id: 'content-fields',
    title: 'Content fields',
    note: 'The control beside the variant; each value resets alone.',
    isWide: true,
    specimens: [
      {
        caption: 'A text, a link, a colour, a picture',
        view: (
          <>
            <OfferLists {...offers} />
            <ContentSettings
              section={section}
              part={section}
              block={null}
              problems={[]}
              posted={{}}
              offers={offers}
            />
          </>
        ),
      },
    ],
  },
  {
    id: 'element-controls',
    title: 'Element controls',
    note: 'What the browser computed, as fields; what was changed says the control’s value and resets alone.',
    specimens: [
      {
        caption: 'A button, its text and colour changed',
        view: <Drawn html={specimens.elementControls()} />,
      },
      { caption: 'What can be inserted', view: <Drawn html={specimens.palette()} /> },
      { caption: 'Inserted', view: <Drawn html={specimens.inserted()} /> },
      { caption: 'Uploading a picture', view: <Drawn html={specimens.upload()} /> },
    ],
  },
]
