import { useId } from 'preact/hooks'
import { hasBits, permission } from '../../../houses/permissions.ts'
import { st } from '../../texts/settings.ts'
import { type AllowDeny, type Name, names, ofHouse, ofRoom } from './permission-names.ts'

type PermissionFieldsProps = {
  value: AllowDeny
  /** The bits that one has: the others cannot be changed, and are not shown. */
  held: number
  isInRoom?: boolean
}

/** A field for each permission, with what `readPermissions` needs. */
export function PermissionFields({ value, held, isInRoom = false }: PermissionFieldsProps) {
  return (
    <fieldset class="permissions">
      <legend>{st().permissions}</legend>
      {(isInRoom ? ofRoom : ofHouse)
        .filter((name) => hasBits(held, permission[name]))
        .map((name) => (
          <PermissionField key={name} name={name} value={value} />
        ))}
    </fieldset>
  )
}

function PermissionField({ name, value }: { name: Name; value: AllowDeny }) {
  const id = useId()
  const bit = permission[name]
  const state = hasBits(value.allow, bit) ? 'allow' : hasBits(value.deny, bit) ? 'deny' : 'unset'
  return (
    <div class="permission">
      <label for={id}>{st().permissionNames[name]}</label>
      <select id={id} name={name}>
        {Object.entries({ unset: st().notSet, allow: st().allow, deny: st().deny }).map(([key, text]) => (
          <option key={key} value={key} selected={key === state}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

/** What the fields say; permissions that have none stay as they were. */
export function readPermissions(before: AllowDeny, values: Record<string, string>): AllowDeny {
  let { allow, deny } = before
  for (const name of names) {
    const bit = permission[name]
    const chosen = values[name]
    if (chosen === undefined) continue
    allow = chosen === 'allow' ? allow | bit : allow & ~bit
    deny = chosen === 'deny' ? deny | bit : deny & ~bit
  }
  return { allow, deny }
}

/** A box for each permission: what everybody may do is on or off. */
export function PermissionBoxes({ value, held }: { value: number; held: number }) {
  return (
    <fieldset class="permissions">
      <legend>{st().permissions}</legend>
      {ofHouse
        .filter((name) => hasBits(held, permission[name]))
        .map((name) => (
          <label key={name} class="check">
            <input type="checkbox" name={name} defaultChecked={hasBits(value, permission[name])} />
            {st().permissionNames[name]}
          </label>
        ))}
    </fieldset>
  )
}

/** What the boxes say; permissions that have none stay as they were. */
export function readBoxes(before: number, held: number, values: Record<string, string>): number {
  return ofHouse
    .filter((name) => hasBits(held, permission[name]))
    .reduce((bits, name) => (name in values ? bits | permission[name] : bits & ~permission[name]), before)
}
