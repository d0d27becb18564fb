import { type IconName, Icon } from '../icon.tsx'

interface Props {
  readonly text: string
  readonly accept: string
  readonly icon?: IconName
  readonly capture?: 'environment'
  readonly onChoose?: (file: File) => unknown
  /** Several can be chosen. */
  readonly onChooseAll?: (files: readonly File[]) => unknown
}

/** Chooses a file. A bare input has the language of the browser, not that of the console, and is too small for a thumb. */
export const FileButton = ({ text, icon, onChoose, onChooseAll, ...input }: Props) => (
  <label class="button">
    {icon ? <Icon name={icon} /> : null}
    <span>{text}</span>
    <input
      class="hidden"
      type="file"
      multiple={onChooseAll !== undefined}
      {...input}
      onChange={({ currentTarget: { files } }) => {
        const chosen = [...(files ?? [])]
        if (!chosen[0]) return
        if (onChooseAll) onChooseAll(chosen)
        else onChoose?.(chosen[0])
      }}
    />
  </label>
)
