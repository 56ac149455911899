/** The colours of programs, from the roles of `src/theme.css`. They follow light and dark mode. */
import type { ThemeOptions } from 'vitepress';

const ROLES: Record<string, string[]> = {
  '--soft': ['comment', 'punctuation.definition.comment'],
  '--violet': ['keyword', 'storage', 'constant.language', 'variable.language', 'entity.name.tag'],
  '--green': ['string', 'punctuation.definition.string', 'markup.inserted'],
  '--blue': ['entity.name.function', 'support.function', 'support.type.property-name'],
  '--amber': ['constant.numeric', 'entity.name.type', 'support.class', 'string.regexp'],
  '--red': ['markup.deleted', 'invalid'],
  '--ink': [
    'keyword.operator.assignment',
    'keyword.operator.type.annotation',
    'punctuation.definition.template-expression',
    'meta.template.expression',
    'string.unquoted',
  ],
};

/** The theme of all code blocks. */
export const CODE_THEME: ThemeOptions = {
  name: 'mcp-resolve',
  type: 'light',
  colors: { 'editor.foreground': 'var(--ink)', 'editor.background': 'transparent' },
  tokenColors: Object.entries(ROLES).map(([token, scope]) => ({
    scope,
    settings: { foreground: `var(${token})` },
  })),
};
