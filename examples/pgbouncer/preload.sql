ALTER DATABASE shop SET session_preload_libraries = 'comb';  -- by a superuser
