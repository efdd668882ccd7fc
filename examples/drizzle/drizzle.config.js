export default {
  dialect: 'postgresql',
  schema: './schema.js',
  dbCredentials: { url: process.env.DATABASE_URL },
};
