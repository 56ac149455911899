/** Requests for roots: the contract of a question. */
import { listRoots } from '../../src/author/question.js';
import { rootsKind } from '../../src/question/roots.js';
import { kindContract } from './kind.case.js';

kindContract('listRoots', {
  kind: rootsKind,
  method: 'roots/list',
  question: listRoots,
  others: [],
  response: { roots: [{ uri: 'file:///work', name: 'work' }] },
  value: { roots: [{ uri: 'file:///work', name: 'work' }] },
  misfits: [
    {},
    { roots: null },
    { roots: 'file:///work' },
    { roots: [{ uri: 'https://example.org/' }] },
    { action: 'accept', content: { roots: [] } },
  ],
  refusal: () => ({ problem: 'received a response of the wrong kind' }),
});
