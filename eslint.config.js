import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      'dist',
      'coverage',
      '.scratch',
      'test/compile-errors',
      'peers/*/programs',
      'peers/hosts/*/*',
      'site/dist',
      'site/.vitepress',
    ],
  },

  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',
      // `import { type X }` alone still loads the module at run time; `import type { X }` does not.
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // The library serves both eras of the protocol, and the SDK marks the older one as deprecated.
      '@typescript-eslint/no-deprecated': 'off',
      // Type inference uses the empty object type for "no arguments".
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowInterfaces: 'with-single-extends', allowObjectTypes: 'always' },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },

  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    rules: {
      'max-params': ['error', 3],
      'no-restricted-properties': [
        'error',
        {
          object: 'URL',
          property: 'canParse',
          message: 'It is wrong on Node 20 and 22 once it is hot. Use parseUrl() of platform.ts.',
        },
      ],
    },
  },

  {
    files: ['bench/**/*.ts', 'examples/**/*.ts', 'peers/**/*.ts'],
    rules: { 'no-console': 'off' },
  },

  {
    // A test may assert what the types do not know, and pass an async function without an await.
    files: ['test/**/*.ts', 'examples/**/*.ts', 'peers/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },
);
