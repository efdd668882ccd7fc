metadata = {
  name                     = "comb"
  sql_name                 = "comb"
  image_name               = "comb"
  licenses                 = ["MIT"]
  shared_preload_libraries = ["comb"]
  postgresql_parameters    = {}
  extension_control_path   = []
  dynamic_library_path     = []
  ld_library_path          = []
  bin_path                 = []
  env                      = {}
  auto_update_os_libs      = false
  required_extensions      = []
  create_extension         = true

  versions = {
    bookworm = {
      "18" = {
        package = "@VERSION@-1"
        sql     = "@VERSION@"
      }
    }
    trixie = {
      "18" = {
        package = "@VERSION@-1"
        sql     = "@VERSION@"
      }
    }
  }
}
