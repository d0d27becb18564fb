import { type IconName, Icon } from './icon.tsx'

interface Props {
  readonly text: string
  readonly accept: string
  readonly icon?: IconName
  readonly capture?: 'environment'
  readonly onChoose: (file: File) => unknown
}

/** Chooses a file. A bare input has the language of the browser, not that of the console, and is too small for a thumb. */
export const FileButton = ({ text, icon, onChoose, ...input }: Props) => (
  <label class="button">
    {icon ? <Icon name={icon} /> : null}
    <span>{text}</span>
    <input
      class="hidden"
      type="file"
      {...input}
      onChange={({ currentTarget: { files } }) => files?.[0] && onChoose(files[0])}
    />
  </label>
)
