/** The questions of a round, each as a client would show it. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { visibleText } from '../../../visibleText.js';
import type { AskedQuestion } from '../../testing/askedQuestion.js';
import { SchemaForm } from './schemaForm.js';
import { act, initialValues, shownRun } from './state.js';

/** Renders the open questions, or says that there are none. */
export function QuestionPanel(): JSX.Element {
  const { questions = [], ending, answered = [] } = shownRun.value ?? {};
  return (
    <section class="panel questions" aria-labelledby="question-title">
      <h2 id="question-title">The user of the client</h2>
      <div aria-live="polite">
        {questions.length > 0 ? (
          // A new round has new cards.
          <Round key={answered.length} questions={questions} />
        ) : (
          <p class="empty">{ending === undefined ? IDLE : 'There is nothing more to answer.'}</p>
        )}
      </div>
    </section>
  );
}

const IDLE = 'If the call asks something, the question appears here.';

/** Collects the answers of a round, and sends them when there is one to each question. */
function Round({ questions }: { readonly questions: readonly AskedQuestion[] }): JSX.Element {
  const [answers, setAnswers] = useState<Readonly<Record<string, unknown>>>({});
  const answer = (key: string, given: unknown): void => {
    const all = { ...answers, [key]: given };
    setAnswers(all);
    if (questions.every((question) => question.key in all)) {
      void act({ type: 'answer', answers: all });
    }
  };
  return (
    <Cards>
      {questions.map((question) => (
        <QuestionCard
          key={question.key}
          question={question}
          done={question.key in answers}
          onAnswer={(given) => answer(question.key, given)}
        />
      ))}
    </Cards>
  );
}

/** Renders cards, and scrolls to them when they appear. */
export function Cards({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const cards = useRef<HTMLDivElement>(null);
  useEffect(() => cards.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <div class="cards" ref={cards}>
      {children}
    </div>
  );
}

interface CardProps {
  readonly question: AskedQuestion;
  /** True if it waits for the other answers of the round. */
  readonly done: boolean;
  readonly onAnswer: (answer: unknown) => void;
}

function QuestionCard(props: CardProps): JSX.Element {
  const { question, done } = props;
  return (
    <article class="question" aria-label={`Question of ${question.key}`}>
      <p class="from">
        <span class="mono">{question.key}</span> {ASKS[question.kind]}
      </p>
      {question.message === '' ? undefined : <p class="message">{visibleText(question.message)}</p>}
      {done ? (
        <p class="hint">Answered. The other questions of the round are open.</p>
      ) : (
        <Answers {...props} />
      )}
    </article>
  );
}

const ASKS = {
  form: 'asks with a form',
  url: 'asks to open a link',
  sample: "asks the client's model",
  roots: 'asks for the folders of the client',
} as const;

function Answers({ question, onAnswer }: CardProps): JSX.Element {
  switch (question.kind) {
    case 'form':
      return <FormAnswer question={question} onAnswer={onAnswer} />;
    case 'url':
      return <LinkAnswer question={question} onAnswer={onAnswer} />;
    case 'sample':
      return (
        <TextAnswer
          label="The answer of the model"
          button="Answer"
          onSend={(text) => onAnswer(saidBy(text))}
        />
      );
    case 'roots':
      return (
        <TextAnswer
          label="One URI per line"
          button="Send"
          initial="file:///home/me/project"
          onSend={(text) => onAnswer(rootsIn(text))}
        />
      );
  }
}

type AnswerProps = Pick<CardProps, 'question' | 'onAnswer'>;

function FormAnswer({ question, onAnswer }: AnswerProps): JSX.Element {
  const { schema = {} } = question;
  const [values, setValues] = useState<Readonly<Record<string, unknown>>>(() => withBoxes(schema));
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ action: 'accept', content: values });
      }}
    >
      <SchemaForm
        prefix={`answer-${question.key}`}
        schema={schema}
        values={values}
        onChange={setValues}
      />
      <Buttons accept="Accept" onAnswer={onAnswer} />
    </form>
  );
}

/** A box that nobody has ticked is sent as false, as clients do. */
function withBoxes(schema: NonNullable<AskedQuestion['schema']>): Record<string, unknown> {
  const properties = Object.entries(
    (schema.properties ?? {}) as Record<string, { type?: unknown }>,
  );
  const boxes = properties.filter(([, { type }]) => type === 'boolean');
  return { ...Object.fromEntries(boxes.map(([name]) => [name, false])), ...initialValues(schema) };
}

function LinkAnswer({ question, onAnswer }: AnswerProps): JSX.Element {
  const { url = '' } = question;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer({ action: 'accept' });
      }}
    >
      <p class="mono">
        {/^https?:\/\//.test(url) ? (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        ) : (
          url
        )}
      </p>
      <Buttons accept="I opened it" onAnswer={onAnswer} />
    </form>
  );
}

interface ButtonsProps {
  readonly accept: string;
  readonly onAnswer: (answer: unknown) => void;
}

function Buttons({ accept, onAnswer }: ButtonsProps): JSX.Element {
  return (
    <div class="actions">
      <button class="main" type="submit">
        {accept}
      </button>
      <button type="button" onClick={() => onAnswer({ action: 'decline' })}>
        Decline
      </button>
      <button type="button" onClick={() => onAnswer({ action: 'cancel' })}>
        Cancel
      </button>
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly button: string;
  readonly initial?: string;
  readonly onSend: (text: string) => void;
}

function TextAnswer({ label, button, initial = '', onSend }: TextProps): JSX.Element {
  const [text, setText] = useState(initial);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSend(text);
      }}
    >
      <textarea
        rows={3}
        aria-label={label}
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
      <div class="actions">
        <button class="main" type="submit">
          {button}
        </button>
      </div>
    </form>
  );
}

function saidBy(text: string): unknown {
  const content = { type: 'text', text };
  return { role: 'assistant', content, model: 'scripted', stopReason: 'endTurn' };
}

function rootsIn(text: string): unknown {
  const uris = text.split('\n').map((line) => line.trim());
  return { roots: uris.filter((uri) => uri !== '').map((uri) => ({ uri })) };
}
