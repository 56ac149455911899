/** Form fields for a JSON Schema, for arguments and for questions. */
import type { JSX } from 'preact';
import { isObject } from '../../../values.js';
import { visibleText } from '../../../visibleText.js';
import { typeWords } from '../../graph/explainArguments.js';

type Values = Readonly<Record<string, unknown>>;

interface Property extends Values {
  readonly type?: unknown;
  readonly title?: string;
  readonly description?: string;
}

interface FormProps {
  /** Makes the ids of fields unique on the page. */
  readonly prefix: string;
  readonly schema: Values;
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

/** Renders a field for each property of a schema. */
export function SchemaForm({ prefix, schema, values, onChange }: FormProps): JSX.Element {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Property>);
  const required = (schema.required ?? []) as readonly string[];
  if (properties.length === 0) return <p class="hint">It takes nothing.</p>;
  const change = (name: string, value: unknown): void => {
    const { [name]: _, ...others } = values;
    // The order of the schema stays.
    const all = value === undefined ? others : { ...others, [name]: value };
    const names = [...new Set([...properties.map(([key]) => key), ...Object.keys(all)])];
    onChange(Object.fromEntries(names.filter((key) => key in all).map((key) => [key, all[key]])));
  };
  return (
    <div class="fields">
      {properties.map(([name, property]) => (
        <Field
          key={name}
          id={`${prefix}-${name}`}
          name={name}
          property={{ $defs: schema.$defs, ...property }}
          required={required.includes(name)}
          value={values[name]}
          onChange={(value) => change(name, value)}
        />
      ))}
    </div>
  );
}

interface FieldProps {
  readonly id: string;
  readonly name: string;
  readonly property: Property;
  readonly required: boolean;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function Field(props: FieldProps): JSX.Element {
  const { id, name, property, required } = props;
  const { title, description } = property;
  const describedBy = description === undefined ? undefined : `${id}-about`;
  const isBox = property.type === 'boolean';
  const label = (
    <label for={id}>
      <span class="mono">{visibleText(title ?? name)}</span>{' '}
      <span class="type">
        {choicesOf(property) === undefined ? typeWords(property) : 'choice'}
        {required || isBox ? '' : ', optional'}
      </span>
    </label>
  );
  return (
    <div class={isBox ? 'field box' : 'field'}>
      {isBox ? undefined : label}
      <Control {...props} describedBy={describedBy} />
      {isBox ? label : undefined}
      {description === undefined ? undefined : (
        <p class="hint" id={describedBy}>
          {visibleText(description)}
        </p>
      )}
    </div>
  );
}

interface ControlProps extends FieldProps {
  readonly describedBy: string | undefined;
}

function Control(props: ControlProps): JSX.Element {
  const { id, property, required, value, onChange, describedBy } = props;
  const shared = { id, 'aria-describedby': describedBy, 'aria-required': required };
  const choices = choicesOf(property);
  if (choices !== undefined) return <Choice {...props} choices={choices} />;
  switch (property.type) {
    case 'boolean':
      return (
        <input
          {...shared}
          type="checkbox"
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'number':
    case 'integer':
      return (
        <input
          {...shared}
          type="number"
          step="any"
          value={typeof value === 'number' ? value : ''}
          onInput={({ currentTarget: { value: typed } }) =>
            onChange(typed === '' ? undefined : Number(typed))
          }
        />
      );
    case 'string':
      return (
        <input
          {...shared}
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={typeof value === 'string' ? value : ''}
          onInput={({ currentTarget: { value: typed } }) =>
            onChange(typed === '' && !required ? undefined : typed)
          }
        />
      );
    default:
      return isObject(property.properties) ? <Nested {...props} /> : <ListOrJson {...props} />;
  }
}

/** The fields of an object inside an object. */
function Nested({ id, name, property, value, onChange, describedBy }: ControlProps): JSX.Element {
  return (
    <div class="nested" role="group" id={id} aria-label={name} aria-describedby={describedBy}>
      <SchemaForm
        prefix={id}
        schema={property}
        values={isObject(value) ? value : {}}
        onChange={onChange}
      />
    </div>
  );
}

interface ChoiceOption {
  readonly value: unknown;
  readonly label: string;
}

/** Returns the values of a choice, or `undefined` for other properties. */
function choicesOf(property: Values): ChoiceOption[] | undefined {
  if (Array.isArray(property.enum)) {
    const names = Array.isArray(property.enumNames) ? (property.enumNames as unknown[]) : [];
    return (property.enum as unknown[]).map((value, index) => ({
      value,
      label: String(names[index] ?? value),
    }));
  }
  const arms = (property.oneOf ?? property.anyOf) as readonly Values[] | undefined;
  if (!Array.isArray(arms) || !arms.every((arm) => 'const' in (arm as Values))) return undefined;
  return arms.map((arm) => {
    const { const: value, title } = arm as Values;
    return { value, label: typeof title === 'string' ? title : String(value) };
  });
}

function Choice(props: ControlProps & { readonly choices: readonly ChoiceOption[] }): JSX.Element {
  const { id, choices, value, onChange, describedBy } = props;
  const chosen = choices.findIndex((choice) => choice.value === value);
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      value={String(chosen)}
      onChange={({ currentTarget }) => onChange(choices[Number(currentTarget.value)]?.value)}
    >
      <option value="-1">choose…</option>
      {choices.map(({ label }, index) => (
        <option key={label} value={String(index)}>
          {label}
        </option>
      ))}
    </select>
  );
}

function ListOrJson(props: ControlProps): JSX.Element {
  const { id, name, property, value, onChange, describedBy } = props;
  const items = property.type === 'array' ? choicesOf((property.items ?? {}) as Values) : undefined;
  if (items === undefined) return <JsonField {...props} />;
  const chosen = Array.isArray(value) ? (value as unknown[]) : [];
  return (
    <div class="options" role="group" id={id} aria-label={name} aria-describedby={describedBy}>
      {items.map((item) => (
        <label key={item.label}>
          <input
            type="checkbox"
            checked={chosen.includes(item.value)}
            onChange={({ currentTarget }) => {
              const others = chosen.filter((one) => one !== item.value);
              onChange(currentTarget.checked ? [...others, item.value] : others);
            }}
          />
          {item.label}
        </label>
      ))}
    </div>
  );
}

/** A field for values that have no control of their own. Text that is not JSON stays text. */
function JsonField({ id, value, onChange, describedBy }: ControlProps): JSX.Element {
  return (
    <textarea
      id={id}
      class="mono"
      rows={3}
      spellcheck={false}
      aria-describedby={describedBy}
      onChange={({ currentTarget: { value: typed } }) => onChange(parseOrKeep(typed))}
      value={value === undefined ? '' : JSON.stringify(value)}
    />
  );
}

function parseOrKeep(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
